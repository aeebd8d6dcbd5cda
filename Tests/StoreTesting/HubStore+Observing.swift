import Store

extension HubStore {
    /// Sets one function of the observer.
    package func observe<Function>(
        _ event: WritableKeyPath<StoreObserver, Function?>,
        _ function: Function
    ) {
        observe { observer in
            precondition(observer[keyPath: event] == nil, "set twice")
            observer[keyPath: event] = function
        }
    }
}

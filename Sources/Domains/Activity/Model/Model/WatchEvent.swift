/// What the app tells while somebody watches a film.
package enum WatchEvent: String, Sendable, Equatable, CaseIterable {
    case started, progress, paused, completed

    /// How far the person is afterwards, and what friends are told of.
    ///
    /// - `started` is told once: again only of a film that was completed, by whoever sees it again.
    /// - `completed` is told once until it is started again.
    /// - What comes late, behind `completed`, changes nothing: apps send again what they could not
    ///   deliver.
    ///
    /// - Parameter status: before; nil for a film that the person has not begun.
    package func outcome(
        after status: WatchStatus?
    ) -> (status: WatchStatus, activity: ActivityType?) {
        switch (self, status) {
        case (.started, nil), (.started, .completed): (.started, .started)
        case (.started, .started), (.started, .paused): (.started, nil)
        case (.completed, .completed): (.completed, nil)
        case (.completed, nil), (.completed, .started), (.completed, .paused):
            (.completed, .watched)
        case (.progress, .completed), (.paused, .completed): (.completed, nil)
        case (.progress, nil), (.progress, .started), (.progress, .paused): (.started, nil)
        case (.paused, nil), (.paused, .started), (.paused, .paused): (.paused, nil)
        }
    }
}

/// An event that the app sends while a person watches a film.
package enum WatchEvent: String, Sendable, Equatable, CaseIterable {
    case started, progress, paused, completed

    /// Returns the person's status after the event, and the activity for friends.
    ///
    /// - `started` is published once: again only if the person watches a completed film again.
    /// - `completed` is published once until the film is started again.
    /// - Late events, after `completed`, change nothing: apps resend events that they could not
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

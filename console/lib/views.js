// The views in the order of the navigation: the name of the module and of the path, and the title.

export const VIEWS = [
  ["now", "Now"],
  ["topics", "Topics"],
  ["try", "Try it"],
  ["explain", "Explain"],
  ["alerts", "Alerts"],
  ["webhooks", "Webhooks"],
  ["connections", "Connections"],
  ["feeds", "Feeds"],
  ["doors", "Doors"],
  ["latency", "Latency"],
  ["aurora", "Aurora"],
  ["radar", "Radar"],
  ["news", "News"],
  ["activity", "Activity"],
  ["replay", "Replay"],
  ["api", "API"],
];

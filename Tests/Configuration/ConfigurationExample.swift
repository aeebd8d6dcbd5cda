@testable import Configuration

/// A file with every key, each with a value that is not its default.
let everyKey = """
    listen: ["127.0.0.1:8000", "[::1]:8001"]
    socket_mode: "0600"
    database: /var/lib/hub.sqlite
    synchronous: full
    development: true
    loops: 4
    io_uring: false
    log_level: debug
    log_format: json
    tls:
      certificate: chain.pem
      key: key.pem
      key_password: a-passphrase
      certificates: [{certificate: b.pem, key: b-key.pem, key_password: another-passphrase}]
      client_certificates: optional
      client_ca: clients.pem
      minimum_version: 1.3
    clock: {start: 2024-12-09T16:00:00Z, speed: 360, end: 2024-12-10T05:00:00Z}
    history: {memory: 32MiB}
    limits:
      memory: 512MiB
      header_bytes: 32KiB
      body_bytes: 2MiB
      message_bytes: 64KiB
      connect_bytes: 4KiB
      message_timeout: 20s
      queue_bytes: 512KiB
      handshake_timeout: 5s
      idle_timeout: 2m
      connections: 100
      close_timeout: 3s
      stall_timeout: 4s
      user_timeout: 20s
      frame_bytes: 32KiB
      fragments: 8
      control_frames: 9
      connections_per_address: 10
      turn_writes: 11
      turn_accepts: 12
      turn_work: 13KiB
      subscriptions: 13
      unpublished_topics: 17
      connections_per_user: 14
      subscriptions_per_user: 15
      handshakes: 16
    rates:
      connection: {commands: 1, publishes: 2}
      user: {connects: 3, commands: 4, publishes: 5}
      address: {connects: 6, commands: 7, publishes: 8, logins: 9}
    drain: {spread: 30s, timeout: 1m}
    tokens:
      secrets: [a-secret, another]
      public_keys: [tokens.pem]
      jwks_file: jwks.json
      audience: varde
      issuer: id
      leeway: 5s
      required: true
      require_exp: true
    api: {keys: ["sha256:00"]}
    accounts:
      apple:
        client_ids: [org.example.app, org.example.web]
        issuer: https://id.example.org
        keys_url: https://id.example.org/keys
      access_token_lifetime: 2h
      refresh_token_lifetime: 30d
    http:
      allowed_origins: ["https://*.example.org", "https://example.org:8443"]
      openapi: false
      trusted_proxies: [10.0.0.0/8, 127.0.0.1, unix]
      proxy_protocol: ["2001:db8::/32"]
    admin: {listen: ["127.0.0.1:9090", "unix:/run/admin.sock"], tls: true}
    console: {enabled: true, directory: console}
    websocket:
      ping_interval: 20s
      pong_timeout: 500ms
      compression:
        enabled: true
        level: 1
        message_bytes_min: 1KiB
        server_window_bits: 9
        client_window_bits: 10
        server_context_takeover: true
        client_context_takeover: true
    event_stream: {heartbeat: 10s, retry: 1s}
    tracing: {upstreams: false, sampled: true}
    clients:
      connect_hook: app
      refresh_hook: app
      rpc_hooks: {"orders.*": app}
      lifecycle: [users, clients]
      leave_after: 9s
    namespaces:
      - name: chat
        durable: false
        history_size: 10
        history_bytes: 64KiB
        history_age: 48h
        forget_after: 90d
        max_topics: 5000
        max_topics_per_publisher: 50
        anonymous_subscribe: true
        recovery: cache
        presence: true
        join_leave: true
        delta: true
        subscribe: owner
        members: ["staff:*", crew]
        owner: "chat:{userId}:*"
        publish: users
        slow_consumer: drop_oldest
        subscribe_hook: app
        sub_refresh_hook: app
        publish_hook: app
        cache_empty_hook: app
        lifecycle: [members]
    alerts:
      - name: good
        topics: "aurora:*"
        when: score >= 50
        until: score < 45
        hold: 1m
        keep: 2m
        cooldown: 3m
        severity: warning
        escalate:
          - severity: critical
            when: score >= 90
        quiet:
          from: "22:00"
          to: "07:00"
          zone: "+01:00"
        language: nb
    alert_limits:
      rules: 21
      user_rules: 22
      rules_per_user: 23
      topics: 24
      user_topics: 25
      topics_per_user: 26
      waiting_bytes: 27MiB
      user_waiting_bytes: 28MiB
    webhooks:
      - name: pager
        url: https://hooks.example.org/t/abc
        secret: whsec_c2VjcmV0
        types: ["aurora.alert.*"]
        topics: ["aurora:tromso"]
        severities: [warning, critical]
        timeout: 5s
        rate: 12
    webhook_limits:
      allow_addresses: [10.1.0.0/16]
      ports: [9000]
      subscriptions: 17
      waiting: 5000
      waiting_age: 10d
      secret_key_file: webhooks.key
    """

/// The file that `varde init` writes.
enum ConfigurationTemplate {
    static func text(_ secrets: GeneratedSecrets) -> String {
        """
        # Varde's configuration. Every key, with its limits and default: docs/reference/configuration.md.
        # Check a change with:    varde check-config --config varde.yaml
        # Apply it without a restart:    kill -HUP PID

        # The address for clients. For other machines: "0.0.0.0:8000", behind a proxy or with tls.
        listen: ["127.0.0.1:8000"]

        # The database: publications, histories, webhooks that wait.
        database: varde.sqlite

        # TLS, if no proxy in front of the hub ends it.
        # tls:
        #   certificate: /etc/varde/chain.pem
        #   key: /etc/varde/key.pem

        # Tokens identify clients: JSON Web Tokens that your back end signs with this secret (HS256).
        # Try one: varde subscribe --config varde.yaml --user kari updates:hello
        tokens:
          secrets: ["\(secrets.tokenSecret)"]
          # Refuse clients without a token.
          required: false

        # Your back end publishes with this key, in the header X-API-Key:
        #   curl http://127.0.0.1:8000/api/publish -H "X-API-Key: KEY" \\
        #     -d '{"channel":"updates:hello","data":{"text":"Hello"}}'
        api:
          keys: ["\(secrets.apiKey)"]

        # Web pages that may use the hub, beside those of its own origin.
        http:
          allowed_origins: []
          # allowed_origins: ["https://app.example.org"]

        # The console for operators, at /console/; it asks for an API key.
        # console:
        #   enabled: true


        """ + namespaces
    }

    /// The part that applications change first.
    private static let namespaces = """
        # A topic such as updates:hello belongs to the namespace updates, which decides who may do what.
        namespaces:
          # Every client reads; only your back end publishes.
          - name: updates
            anonymous_subscribe: true
            history_size: 100
            history_age: 24h

          # Clients with a token read; those that are subscribed publish.
          - name: chat
            subscribe: users
            publish: subscribers
            history_size: 100
            history_age: 24h
            presence: true

          # user:42 is for the user 42.
          - name: user
            subscribe: owner
            history_size: 100
            history_age: 24h

        # Signed HTTP requests for publications and alerts: protocol/webhooks.md.
        # webhooks:
        #   - name: backend
        #     url: https://backend.example.org/hooks/varde
        #     secret_file: /run/secrets/webhook
        #     topics: ["chat:*"]

        """
}

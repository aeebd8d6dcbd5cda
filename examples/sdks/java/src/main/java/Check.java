import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.centrifugal.centrifuge.Client;
import io.github.centrifugal.centrifuge.EventListener;
import io.github.centrifugal.centrifuge.Options;
import io.github.centrifugal.centrifuge.PublicationEvent;
import io.github.centrifugal.centrifuge.SubscribedEvent;
import io.github.centrifugal.centrifuge.Subscription;
import io.github.centrifugal.centrifuge.SubscriptionEventListener;
import io.github.centrifugal.centrifuge.SubscriptionOptions;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Runs centrifuge-java against a hub: connect, subscribe, publish, recover after a restart. The steps are those of
 * ../js/check.js. Arguments: HUB_URL CHANNEL
 */
public class Check {
    private static final BlockingQueue<String> publications = new LinkedBlockingQueue<>();

    private static void fail(String reason) {
        System.out.println("failed: " + reason);
        System.exit(1);
    }

    private static void publish(Subscription subscription, int number) {
        byte[] data = ("{\"n\":" + number + "}").getBytes(UTF_8);
        subscription.publish(data, (error, result) -> {
            if (error != null) fail(error.toString());
            if (number == 1) publish(subscription, 2);
        });
    }

    public static void main(String[] arguments) throws Exception {
        String url = arguments[0].replaceFirst("^http", "ws") + "/connection/websocket";
        Client client = new Client(url, new Options(), new EventListener() {});
        SubscriptionEventListener listener = new SubscriptionEventListener() {
            @Override
            public void onSubscribed(Subscription subscription, SubscribedEvent event) {
                if (event.wasRecovering() && !event.getRecovered()) fail("not recovered");
                if (!event.wasRecovering()) publish(subscription, 1);
            }

            @Override
            public void onPublication(Subscription subscription, PublicationEvent event) {
                publications.add(new String(event.getData(), UTF_8));
            }
        };
        client.newSubscription(arguments[1], new SubscriptionOptions(), listener).subscribe();
        client.connect();
        for (int number = 1; number <= 3; number++) {
            String data = publications.poll(60, TimeUnit.SECONDS);
            if (!("{\"n\":" + number + "}").equals(data)) fail("publication " + data);
            System.out.println("publication " + number);
            if (number == 2) System.out.println("ready");
        }
        client.disconnect();
        System.out.println("passed");
        System.exit(0);
    }
}

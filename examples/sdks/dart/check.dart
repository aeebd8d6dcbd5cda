// Runs centrifuge-dart against a hub: connect, subscribe, publish, recover after a restart.
// The steps are those of ../js/check.js. Arguments: HUB_URL CHANNEL
import 'dart:async';
import 'dart:convert';
import 'dart:io';

import 'package:centrifuge/centrifuge.dart' as centrifuge;

Never fail(Object reason) {
  print('failed: $reason');
  exit(1);
}

Future<void> main(List<String> arguments) async {
  final url = arguments[0].replaceFirst('http', 'ws') + '/connection/websocket';
  final client = centrifuge.createClient(url, centrifuge.ClientConfig());
  final subscription =
      client.newSubscription(arguments[1], centrifuge.SubscriptionConfig());
  final seen = <int>[];

  subscription.subscribed.listen((event) async {
    if (event.wasRecovering) {
      if (!event.recovered) fail('not recovered');
      return;
    }
    await subscription.publish(utf8.encode('{"n":1}'));
    await subscription.publish(utf8.encode('{"n":2}'));
  });
  subscription.publication.listen((event) {
    seen.add((jsonDecode(utf8.decode(event.data)) as Map)['n'] as int);
    print('publication ${seen.last}');
    switch (seen.join(',')) {
      case '1':
        break;
      case '1,2':
        print('ready');
      case '1,2,3':
        print('passed');
        exit(0);
      default:
        fail('received $seen');
    }
  });
  await subscription.subscribe();
  await client.connect();
  await Future<void>.delayed(Duration(seconds: 60));
  fail('not done within 60 s');
}

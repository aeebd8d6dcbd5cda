// Runs centrifuge-go against a hub: connect, subscribe, publish, recover after a restart.
// The steps are those of ../js/check.js. Usage: check HUB_URL CHANNEL
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/centrifugal/centrifuge-go"
)

func fail(reason any) {
	fmt.Println("failed:", reason)
	os.Exit(1)
}

func main() {
	url := strings.Replace(os.Args[1], "http", "ws", 1) + "/connection/websocket"
	check(centrifuge.NewProtobufClient(url, config()), os.Args[2])
}

func config() centrifuge.Config {
	return centrifuge.Config{
		MinReconnectDelay: 100 * time.Millisecond,
		MaxReconnectDelay: 500 * time.Millisecond,
	}
}

func check(client *centrifuge.Client, channel string) {
	subscription, err := client.NewSubscription(
		channel,
		centrifuge.SubscriptionConfig{Recoverable: true},
	)
	if err != nil {
		fail(err)
	}
	isSubscribed := make(chan bool, 8)
	numbers := make(chan int, 8)
	subscription.OnSubscribed(func(event centrifuge.SubscribedEvent) {
		if event.WasRecovering && !event.Recovered {
			fail("not recovered")
		}
		isSubscribed <- true
	})
	subscription.OnPublication(func(event centrifuge.PublicationEvent) {
		var data struct{ N int }
		if err := json.Unmarshal(event.Data, &data); err != nil {
			fail(err)
		}
		numbers <- data.N
	})
	if err := subscription.Subscribe(); err != nil {
		fail(err)
	}
	if err := client.Connect(); err != nil {
		fail(err)
	}
	<-isSubscribed
	for number := 1; number <= 2; number++ {
		data := []byte(fmt.Sprintf(`{"n":%d}`, number))
		if _, err := subscription.Publish(context.Background(), data); err != nil {
			fail(err)
		}
	}
	timeout := time.After(60 * time.Second)
	for expected := 1; expected <= 3; expected++ {
		select {
		case number := <-numbers:
			if number != expected {
				fail(fmt.Sprintf("publication %d, expected %d", number, expected))
			}
			fmt.Println("publication", number)
		case <-timeout:
			fail("not done within 60 s")
		}
		if expected == 2 {
			fmt.Println("ready")
		}
	}
	client.Close()
	fmt.Println("passed")
}

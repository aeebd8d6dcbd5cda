// Answers the hooks of a hub. The map rooms is in place of your sessions and your database.
package main

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

type object map[string]any

var rooms = map[string][]string{
	"alice": {"chat:board", "chat:team"}, "bob": {"chat:team"}, "carol": {},
}
var key, _ = base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("HOOK_SECRET"), "whsec_"))

func main() {
	if len(key) < 24 {
		log.Fatal("HOOK_SECRET: expected whsec_ and base64")
	}
	http.HandleFunc("POST /hooks/{event}", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !isGenuine(r.Header, body) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		json.NewEncoder(w).Encode(answer(r, body))
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "3000"), nil))
}

func isGenuine(header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, signature := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(signature), expected) {
			return true
		}
	}
	return false
}

func answer(r *http.Request, body []byte) object {
	var question struct {
		User, Channel, Method string
		Data                  object
	}
	json.Unmarshal(body, &question) // Skips data that are not an object.
	user := question.User
	text, _ := question.Data["text"].(string)
	switch event := r.PathValue("event"); {
	case event == "connect":
		session, err := r.Cookie("session")
		if err != nil || rooms[session.Value] == nil {
			return object{"disconnect": object{"code": 4501, "reason": "sign in first"}}
		}
		return object{"result": object{"user": session.Value}}
	case event == "rpc" && question.Method == "chat.rooms":
		return object{"result": object{"data": object{"rooms": append([]string{}, rooms[user]...)}}}
	case event != "subscribe" && event != "publish":
		return object{"error": object{"code": 1002, "message": "not available"}}
	case !slices.Contains(rooms[user], question.Channel):
		return object{"error": object{"code": 1001, "message": "members only"}}
	case event == "subscribe":
		return object{"result": object{}}
	case strings.TrimSpace(text) == "":
		return object{"error": object{"code": 1000, "message": "the text is empty"}}
	}
	question.Data["author"] = user
	return object{"result": object{"data": question.Data}}
}

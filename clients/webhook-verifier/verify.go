// Package webhook verifies webhooks of the payment gateway. For merchants: needs nothing but Go's standard library.
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Verify returns "" for a webhook to believe, else why not:
//
//	headers_missing         none of the gateway's, or something on the way dropped its headers
//	timestamp_out_of_range  sent minutes ago, or your clock is off
//	wrong_secret            signed with another secret than yours
//	content_changed         signed with yours, but over another body: was it parsed and written again?
//	signature_mismatch      one of the two
//
// body: the bytes exactly as they came.
func Verify(header http.Header, body []byte, secret string, now time.Time, tolerance time.Duration) string {
	id := header.Get("webhook-id")
	timestamp := header.Get("webhook-timestamp")
	signatures := header.Get("webhook-signature")
	if id == "" || timestamp == "" || signatures == "" {
		return "headers_missing"
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return "timestamp_out_of_range"
	}

	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 || !strings.HasPrefix(secret, "whsec_") {
		return "wrong_secret"
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, given := range strings.Split(signatures, " ") {
		if hmac.Equal(expected, []byte(given)) {
			return ""
		}
	}

	hints := header.Get("webhook-secret-hint")
	if hints == "" {
		return "signature_mismatch"
	}
	hash := sha256.Sum256(key)
	mine := hex.EncodeToString(hash[:])[:8]
	for _, hint := range strings.Split(hints, " ") {
		if hint == mine {
			return "content_changed"
		}
	}
	return "wrong_secret"
}

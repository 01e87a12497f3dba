<?php
// Verifies webhooks of the payment gateway. For merchants: needs nothing but PHP 8.

/**
 * Returns null for a webhook to believe, else why not:
 *
 *   headers_missing         none of the gateway's, or something on the way dropped its headers
 *   timestamp_out_of_range  sent minutes ago, or your clock is off
 *   wrong_secret            signed with another secret than yours
 *   content_changed         signed with yours, but over another body: was it parsed and written again?
 *   signature_mismatch      one of the two
 *
 * $headers: by lower-case name; $body: exactly as it came, file_get_contents('php://input').
 */
function verify_webhook(array $headers, string $body, string $secret, ?int $now = null, int $tolerance = 300): ?string
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    $signatures = $headers['webhook-signature'] ?? '';
    if ($id === '' || $timestamp === '' || $signatures === '') {
        return 'headers_missing';
    }
    if (!preg_match('/^[0-9]{1,12}\z/', $timestamp) || abs((int) $timestamp - ($now ?? time())) > $tolerance) {
        return 'timestamp_out_of_range';
    }

    $key = base64_decode(substr($secret, strlen('whsec_')), true);
    if ($key === false || strlen($key) < 24 || 'whsec_' . base64_encode($key) !== $secret) {
        throw new InvalidArgumentException('a webhook secret must be whsec_ and at least 24 bytes in base64');
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (array_slice(explode(' ', $signatures), 0, 10) as $given) {
        if (hash_equals($expected, $given)) {
            return null;
        }
    }

    $hints = $headers['webhook-secret-hint'] ?? '';
    if ($hints === '') {
        return 'signature_mismatch';
    }
    $mine = substr(hash('sha256', $key), 0, 8);
    return in_array($mine, explode(' ', $hints), true) ? 'content_changed' : 'wrong_secret';
}

export { createClient } from './client.js';
export { GatewayError, orThrow } from './failures.js';
export { readWebhook } from './webhooks.js';
export { verifyWebhook } from '../webhook-verifier/verify.js';

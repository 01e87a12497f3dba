export { createClient, type CallOptions, type Client, type ClientOptions } from './client.js';
export { GatewayError, orThrow } from './failures.js';
export type { Failure, FieldError, NoAnswer, ProblemCode, Refusal, Result, Success, UnexpectedAnswer, } from './failures.js';
export type { Retry } from './repeat.js';
export { readWebhook } from './webhooks.js';
export type { OperationEvent, PingEvent, ReadWebhook, WebhookEvent } from './webhooks.js';
export { verifyWebhook } from '../webhook-verifier/verify.js';
export type { ReceivedWebhook, WebhookRefusal, WebhookVerdict, } from '../webhook-verifier/verify.js';
export type * from './api.js';

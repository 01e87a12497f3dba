export { createClient, type CallOptions, type Client, type ClientOptions } from './client.ts';
export { GatewayError, orThrow } from './failures.ts';
export type {
  Failure,
  FieldError,
  NoAnswer,
  ProblemCode,
  Refusal,
  Result,
  Success,
  UnexpectedAnswer,
} from './failures.ts';
export type { Retry } from './repeat.ts';
export { readWebhook } from './webhooks.ts';
export type { OperationEvent, PingEvent, ReadWebhook, WebhookEvent } from './webhooks.ts';
export { verifyWebhook } from '../webhook-verifier/verify.ts';
export type {
  ReceivedWebhook,
  WebhookRefusal,
  WebhookVerdict,
} from '../webhook-verifier/verify.ts';
export type * from './api.ts';

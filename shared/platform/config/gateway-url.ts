import { loadConfig } from './load.ts';

let configured: string | undefined;

/**
 * Where merchants reach the gateway, without a slash at its end: one for all of a process, whose
 * environment says it. What is wrong with it has stopped the service before it asks.
 */
export function gatewayUrl(): string {
  configured ??= readGatewayUrl(process.env);
  return configured;
}

/** GATEWAY_BASE_URL, else this machine and GATEWAY_PORT. @throws ConfigError */
export function readGatewayUrl(env: Readonly<Record<string, string | undefined>>): string {
  const { GATEWAY_BASE_URL } = loadConfig(['GATEWAY_BASE_URL'], env);
  return GATEWAY_BASE_URL ?? `http://localhost:${env['GATEWAY_PORT'] || 8080}`;
}

import { loadConfig } from './load.ts';

let configured: string | undefined;

/**
 * Where merchants reach the gateway, without a trailing slash. The configuration was validated
 * before this is called.
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

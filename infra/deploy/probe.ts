/**
 * Whether the service in this container can do its work: `infra/deploy/probe.ts [path]`, for
 * engines that know no HTTP probes. HEALTH_PORT names the port of its probes.
 */
const port = Number(process.env['HEALTH_PORT'] ?? 8080);
const path = process.argv[2] ?? '/readyz';
const timeoutMs = 4_000;

try {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!answer.ok) process.stderr.write(`${path} answered ${answer.status}\n`);
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  process.stderr.write(`${path} of port ${port}: ${(error as Error).message}\n`);
  process.exitCode = 1;
}

import { startNamed } from '#infra/verify/harness/named-programs.ts';

await startNamed('lab');

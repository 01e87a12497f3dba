import { startNamed } from '#infra/verify/harness/processes/named-programs.ts';

await startNamed('lab');

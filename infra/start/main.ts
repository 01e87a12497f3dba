import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Before anything else is loaded, so that all of it comes compiled from the second start on.
enableCompileCache(fileURLToPath(new URL('../../.cache/compile-cache', import.meta.url)));
const { run } = await import('./run.ts');
await run();

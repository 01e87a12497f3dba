import type { TextFile } from './tree.ts';

/** Appends to the event store, and what runs a decision that is passed to it. */
const appends =
  /\b\w*[sS]tore\??\.(?:append|tombstone)\b|\bmembers\.(?:change|decide)\(|\b(?:appendAtHead|appendWithKnownOutcome|handleCommand|decideAndAppend|handleOperation|handleAdmitted|commandShop|commandProviders|announceSetupChange|toNewEvents?)\b/g;

/**
 * Services that append to the event store themselves, as `path: what`. A use case has its home in
 * `shared/application/`, so that every service, tool and test runs the same one.
 */
export const appendsInServices = (files: readonly TextFile[]): string[] =>
  files
    .filter(({ path }) => /^services\/.*\.ts$/.test(path) && !/\.test\.ts$|\/testing\//.test(path))
    .flatMap(({ path, text }) => [...text.matchAll(appends)].map(([what]) => `${path}: ${what}`));

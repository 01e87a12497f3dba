/** The target, or the log, is not what it has to be: nothing is written. The exit code is 3. */
export class BackupRefusal extends Error {}

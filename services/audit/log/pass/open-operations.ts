import { isTerminalEventType } from '#shared/domain/operation/events.ts';

/** Counts the operations that were created and have no terminal status. */
export function createOpenOperations() {
  let open = 0;
  return {
    take: (type: string): void => {
      if (type === 'OperationAdmitted') open += 1;
      else if (isTerminalEventType(type)) open -= 1;
    },
    count: () => open,
  };
}

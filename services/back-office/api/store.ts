export { fromStore } from '#shared/platform/event-store/from-store.ts';

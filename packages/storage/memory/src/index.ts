/** The storage-side ports in memory: for tests, simulations and for reading what the ports mean. */
export { layer, layerOver } from "./Memory.ts"
export { emptyState, type State, Store } from "./Store.ts"

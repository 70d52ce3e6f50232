import type { KeyedAddress } from "@bursar/core/engine/Directory"

/** An address with a key of its own. */
export const keyed = (address: string): KeyedAddress => ({ address, keys: [`test:${address}`] })

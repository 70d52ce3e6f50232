import * as Token from "@bursar/network-kit/Token"

/** Hexadecimal with the prefix `0x`. */
type Hex = `0x${string}`

/** The call data of ERC-20's `transfer(to, units)`. */
export const transferData = (to: string, units: bigint): Hex => `0x${Token.transferCall(to, units)}`

/** The call data of ERC-20's `balanceOf(account)`. */
export const balanceOfData = (account: string): Hex => `0x${Token.balanceOfCall(account)}`

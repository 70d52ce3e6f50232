import { checksummed } from "../../EvmAddress.ts"
import type { Hex } from "./Draft.ts"

/** keccak256("transfer(address,uint256)") and so on, the first four bytes of it. */
const selectors = {
  transfer: "0xa9059cbb",
  balanceOf: "0x70a08231"
} as const

const addressWord = (address: string): string => address.slice(2).toLowerCase().padStart(64, "0")

const numberWord = (value: bigint): string => value.toString(16).padStart(64, "0")

/** Calldata of ERC-20's `transfer(to, units)`. */
export const transferData = (to: string, units: bigint): Hex =>
  `${selectors.transfer}${addressWord(to)}${numberWord(units)}`

/** Calldata of ERC-20's `balanceOf(account)`. */
export const balanceOfData = (account: string): Hex => `${selectors.balanceOf}${addressWord(account)}`

const transferShape = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/u

/** What a `transfer` gives to whom, or undefined where the calldata is not exactly one. */
export const readTransferData = (data: Hex): { readonly to: string; readonly units: bigint } | undefined => {
  const match = transferShape.exec(data.toLowerCase())
  const [, to, units] = match ?? []
  return to === undefined || units === undefined
    ? undefined
    : { to: checksummed(`0x${to}`), units: BigInt(`0x${units}`) }
}

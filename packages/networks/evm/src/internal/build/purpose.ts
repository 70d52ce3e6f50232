import type { Network } from "@bursar/core/money/Network"
import { Result } from "effect"
import type { Payment } from "@bursar/core/port/ChainSender"
import { parseEvmAddress } from "../../Address.ts"
import type { Draft } from "./Draft.ts"
import { readTransferCall } from "@bursar/network-kit/Token"

/** The network and what is known of it when transactions are read. */
export interface Reading {
  readonly network: Network
  readonly chainId: number
  /** The pinned contracts, from the address in lower case to its canonical form. */
  readonly contracts: ReadonlyMap<string, string>
}

/** 21,000 gas, what a transaction without calldata to an account takes. */
export const transferGas = 21_000n

/**
 * What a transaction gives to whom: coin, a pinned token, or nothing at all. Whatever else it might do, it is refused in words.
 *
 * **Details**
 *
 * The three shapes are: value without calldata; a `transfer` of a pinned token without value; neither, from the payer to
 * itself, which only uses up the nonce.
 */
export const purposeOf = (
  { chainId, contracts, network }: Reading,
  draft: Draft
): Result.Result<Payment | undefined, string> => {
  if (draft.chainId !== chainId) return Result.fail(`It is for chain ${draft.chainId}, but ${network} is ${chainId}.`)
  const receiver = (to: string) => parseEvmAddress(network, [...contracts.keys()], to)
  if (draft.data === "0x") {
    if (draft.value === 0n) {
      return draft.to === draft.from
        ? Result.succeed(undefined)
        : Result.fail("It gives nothing, and to somebody else than its payer.")
    }
    return Result.map(receiver(draft.to), (to) => ({ to, contract: null, units: draft.value, memo: null }))
  }
  const contract = contracts.get(draft.to.toLowerCase())
  if (contract === undefined) return Result.fail(`It calls ${draft.to}, which is no pinned token of ${network}.`)
  if (draft.value !== 0n) return Result.fail("It gives coin to a token contract.")
  const transfer = readTransferCall(draft.data.slice(2).toLowerCase())
  if (transfer === undefined) return Result.fail("It calls a token otherwise than to transfer it.")
  if (transfer.units === 0n) return Result.fail("It transfers nothing.")
  return Result.map(receiver(`0x${transfer.to}`), (to) => ({ to, contract, units: transfer.units, memo: null }))
}

import type { Transaction } from "bitcoinjs-lib"
import type { Transfer } from "@bursar/core/port/Chain"
import { addressOfScript } from "../../Address.ts"
import type { BitcoinChainName } from "../facts.ts"

/**
 * What a transaction moves: one transfer for each output that pays an address, its index being that of the output.
 *
 * **Details**
 *
 * A transaction has no sender that could be told: its inputs may be of many, so `from` is null. Outputs without value are no
 * transfers. Those of a coinbase cannot be spent for 100 blocks: {@link makeMatured} tells when they count.
 */
export const transfersOf = (chain: BitcoinChainName, transaction: Transaction): ReadonlyArray<Transfer> => {
  const txHash = transaction.getId()
  return transaction.outs.flatMap(({ script, value }, transferIndex) => {
    const to = value > 0n ? addressOfScript(chain, script) : null
    return to === null ? [] : [{ txHash, transferIndex, contract: null, units: value, from: null, to }]
  })
}

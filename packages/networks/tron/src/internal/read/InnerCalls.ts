import { Result } from "effect"
import { readable } from "../rpc/NodeAnswer.ts"
import { Entries, LogAddress, type TransactionInfo } from "../rpc/wire.ts"

/** Calls of contracts, none of which shows an inner one, before that is no coincidence any more. */
const silentCallsMax = 5_000

/** What a block shows of whether the node lists what contracts do. */
export interface Shown {
  /** Some transaction lists what its contracts did. */
  readonly listed: boolean
  /** Some transaction has a log by another contract than the one it called, and lists no call of that other. */
  readonly hidden: boolean
  /** How many transactions called a contract that is no pinned token. */
  readonly calls: number
}

const addressOf = (entry: unknown): string =>
  Result.match(readable(LogAddress, entry), {
    onFailure: () => "",
    onSuccess: ({ address = "" }) => address.slice(-40)
  })

/** What one successful call shows; `called` has 21 bytes in hexadecimal. */
export const shownBy = (
  contracts: ReadonlyMap<string, string>,
  called: string,
  { internal_transactions: internal, log }: TransactionInfo
): Shown => {
  const inner = Result.getOrElse(readable(Entries, internal ?? []), () => [])
  const logs = Result.getOrElse(readable(Entries, log ?? []), () => [])
  const callee = called.slice(2)
  return {
    listed: inner.length > 0,
    hidden: inner.length === 0 && logs.some((entry) => addressOf(entry) !== "" && addressOf(entry) !== callee),
    calls: contracts.has(callee) ? 0 : 1
  }
}

/** Whether a node lists the calls that contracts make, by what its blocks show. */
export interface InnerCalls {
  readonly observe: (number: number, shown: ReadonlyArray<Shown>) => void
  /** What is not seen for want of them, in words for an operator; undefined while nothing says that they are missing. */
  readonly unseen: () => string | undefined
}

/**
 * Nodes list the coin that contracts send only where they are configured to, and do not say when they are not. The network tells:
 * every call of another contract is listed where any is, and a log names the contract that wrote it. So one log by a contract that was
 * not called by the transaction itself, beside no listed call, proves that the node lists none.
 */
export const makeInnerCalls = (): InnerCalls => {
  let highest = -1
  let silent = 0
  let missing = false
  return {
    observe: (number, shown) => {
      // Of what was in blocks of before, the node may not have kept what it keeps now.
      if (number < highest) return
      highest = number
      if (shown.some(({ listed }) => listed)) {
        silent = 0
        missing = false
        return
      }
      silent += shown.reduce((sum, { calls }) => sum + calls, 0)
      missing ||= silent >= silentCallsMax || shown.some(({ hidden }) => hidden)
    },
    unseen: () =>
      missing
        ? "the TRX that contracts send, which the node does not list: set vm.saveInternalTx = true in its configuration, and have it synchronise anew what it took in without"
        : undefined
  }
}

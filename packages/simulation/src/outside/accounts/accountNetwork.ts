import type { NetworkTraits } from "@bursar/core/money/Network"
import type { Random } from "../../kernel/Random.ts"
import { type Faults, noFaults } from "../Faults.ts"
import type { WorldNetwork } from "../WorldNetwork.ts"
import { accountAdapter } from "./accountAdapter.ts"
import { type AccountChain, makeAccountChain } from "./AccountChain.ts"
import { type AccountForm, accountForm } from "./AccountForm.ts"
import { strangeChain } from "./strangeNode.ts"

/** How a network of accounts differs from world to world. */
export interface AccountNetworkOptions {
  readonly random: Random
  readonly faults: Faults
  readonly traits: NetworkTraits
  readonly contracts: ReadonlyArray<string>
  readonly confirmations: number
  readonly finality: number
  readonly startsAt: number
  /** Which of the two nodes is of another operator, and now and then behind or false; null where there is one node. */
  readonly second: 0 | 1 | null
  readonly now: () => number
  readonly note: (what: string) => void
}

/** A network of accounts, with its chain. */
export interface AccountNetwork extends WorldNetwork {
  readonly chain: AccountChain
  readonly form: AccountForm
}

/** A network of accounts, and those outside who use it. */
export const accountNetwork = (options: AccountNetworkOptions): AccountNetwork => {
  const { confirmations, contracts, faults, now, note, second, traits } = options
  const form = accountForm(traits)
  const chain = makeAccountChain({ ...options, feePerBid: form.feePerBid })
  const stranger = (random: Random): string => form.ofBytes(random.bytes(20))
  const shared = { traits, contracts, confirmations }
  const strange = strangeChain({ chain, faults, random: options.random.for("second node"), now, note })
  return {
    chain,
    form,
    reachedBy: (ask) => {
      const own = { adapter: accountAdapter({ ...shared, chain, faults, ask }) }
      if (second === null) return [own]
      const ours = { ...own, operator: "ours" }
      const other = { adapter: accountAdapter({ ...shared, chain: strange, faults, ask }), operator: "provider" }
      return second === 0 ? [other, ours] : [ours, other]
    },
    asRead: (blocks) =>
      accountAdapter({
        ...shared,
        chain: { ...chain, blocks: () => chain.blocks().slice(0, blocks) },
        faults: noFaults,
        ask: (_, answer) => answer
      }),
    addressOf: form.addressOf,
    stranger,
    endow: chain.endow,
    pay: (random, payment) => {
      const hash = `0x${Buffer.from(random.bytes(32)).toString("hex")}`
      chain.take({
        hash,
        from: stranger(random),
        outside: true,
        sequence: null,
        validUntil: null,
        payments: [payment],
        bid: 0n
      })
    },
    fetch: null
  }
}

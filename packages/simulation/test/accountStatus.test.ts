import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { assert, describe, it } from "@effect/vitest"
import { makeRandom } from "../src/kernel/Random.ts"
import { type AccountTransaction, makeAccountChain } from "../src/outside/accounts/AccountChain.ts"
import { accountForm } from "../src/outside/accounts/AccountForm.ts"
import { accountStatus } from "../src/outside/accounts/accountStatus.ts"
import { type Faults, noFaults } from "../src/outside/Faults.ts"

const wallet = "the wallet"
const startsAt = 1_000_000
const blockMs = 3_000
const finality = 3

const chainOf = (faults: Faults = noFaults) => {
  const { feePerBid } = accountForm(presetNetworks.of("tron"))
  const chain = makeAccountChain({
    random: makeRandom(1),
    faults,
    finality,
    startsAt,
    feePerBid,
    note: () => undefined
  })
  chain.endow(wallet, null, 100_000_000n)
  return chain
}

const transaction: AccountTransaction = {
  hash: "0x1",
  from: wallet,
  outside: false,
  sequence: null,
  validUntil: startsAt + 2 * blockMs,
  payments: [{ to: "a stranger", contract: null, units: 1n }],
  bid: 1n
}

const sent = [{ hash: transaction.hash, raw: new Uint8Array(), validUntil: transaction.validUntil }]

/** The block of that number. */
const mine = (chain: ReturnType<typeof chainOf>, number: number): void => chain.mine(startsAt + number * blockMs)

const statusIn = (chain: ReturnType<typeof chainOf>) => accountStatus(chain, { _tag: "Expiry" }, sent)

/** Faults of which one strikes always. */
const always = (struck: string): Faults => ({ ...noFaults, strikes: (kind) => kind === struck })

describe("a network on which transactions expire", () => {
  it("takes none behind a block that is later, and says so once no block of before can be replaced", () => {
    const chain = chainOf(always("chain.censors"))
    assert.strictEqual(chain.take(transaction), "taken")
    for (const number of [1, 2]) {
      mine(chain, number)
      assert.strictEqual(statusIn(chain)._tag, "Pending")
    }
    assert.deepStrictEqual(chain.waiting(), [])
    assert.strictEqual(chain.take(transaction), "expired")
    for (let number = 3; number < 3 + finality - 1; number++) {
      mine(chain, number)
      assert.strictEqual(statusIn(chain)._tag, "Pending")
    }
    mine(chain, 3 + finality - 1)
    assert.strictEqual(statusIn(chain)._tag, "Invalidated")
  })

  it("takes one whose block is later than its end, if the block before is not", () => {
    const chain = chainOf()
    mine(chain, 1)
    assert.strictEqual(chain.take(transaction), "taken")
    chain.mine(startsAt + 20 * blockMs)
    assert.strictEqual(statusIn(chain)._tag, "Included")
  })

  it("takes each once, also where two nodes have it", () => {
    const chain = chainOf(always("chain.forgets"))
    chain.take(transaction)
    // the node that is asked has forgotten it, and is given it again
    chain.mine(startsAt)
    chain.take(transaction)
    mine(chain, 1)
    mine(chain, 2)
    assert.lengthOf(chain.mined(), 1)
    assert.strictEqual(chain.holds("a stranger", null), 1n)
  })
})

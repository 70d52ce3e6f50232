import { bitcoinPlanner } from "@bursar/bitcoin/Planner"
import { ChainError } from "@bursar/core/port/Chain"
import type { Outpoint } from "@bursar/core/port/Utxo"
import type { TransactionPlanner } from "@bursar/core/port/TransactionPlanner"
import { stellarPlanner } from "@bursar/stellar/Planner"
import {
  type FakeQuestions,
  type FakeSender,
  type FakeSenderOptions,
  makeFakeSender
} from "@bursar/testkit/fixtures/FakeSender"
import { Effect } from "effect"

/** How many UTXOs a sweep of the tests moves at most. */
const sweepUtxosMax = 200

/** The planner of stellar, for accounts that are there and keep nothing for themselves. */
const withoutProvisioning = (questions: FakeQuestions): TransactionPlanner => {
  const { provisioner: _, ...planner } = stellarPlanner({
    ...questions,
    accountState: (address) =>
      Effect.map(questions.balance(address, null), (spendable) => ({
        exists: true,
        missing: [],
        spendable,
        keepsForItself: 0n,
        keepsPerAsset: 0n
      }))
  })
  return planner
}

const plannerOf = ({ accounts = false, network }: FakeSenderOptions): Pick<FakeSenderOptions, "planner"> => {
  if (network === "bitcoin") return { planner: (questions) => bitcoinPlanner({ ...questions, sweepUtxosMax }) }
  return network === "stellar" ? { planner: accounts ? stellarPlanner : withoutProvisioning } : {}
}

/** A fake network whose transactions are planned by the rules of the real one. */
export const fakeNetwork = (options: FakeSenderOptions): FakeSender =>
  makeFakeSender({ ...plannerOf(options), ...options })

/** A bitcoin network that builds nothing of an output that is spent, or out of the chain, as the real one: its node does not find it (`absent`). */
export const missingSpent = (fake: FakeSender, isOut: (utxo: Outpoint) => boolean = () => false): FakeSender => ({
  ...fake,
  sender: {
    ...fake.sender,
    build: (order) => {
      const gone =
        order.guard._tag === "Utxos" ? order.guard.utxos.find((utxo) => fake.isSpent(utxo) || isOut(utxo)) : undefined
      if (gone === undefined) return fake.sender.build(order)
      const detail = `${gone.txHash}:${gone.vout} is not unspent in the newest block`
      return Effect.fail(new ChainError({ network: "bitcoin", reason: "absent", doing: "read coins", detail }))
    }
  }
})

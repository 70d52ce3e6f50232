import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import type { DepositStatus } from "@bursar/core/deposit/DepositMachine"
import { type IncomingTransfer, recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { reorgDeposits } from "@bursar/core/incoming/reorgDeposits"
import type { Command } from "@bursar/core/engine/Command"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { LedgerSnapshot, type TenantLedger } from "@bursar/core/checker/LedgerSnapshot"
import { Storage } from "@bursar/core/engine/Storage"
import type { TenantPolicy } from "@bursar/core/tenant/Tenant"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import * as Memory from "@bursar/memory"
import { adjust, contextAt } from "@bursar/testkit/fixtures/commands"
import { addressItem, incomingTransferAt, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { depositLives, type DepositStep, transactionsMax } from "@bursar/testkit/generators/depositLives"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Stream } from "effect"
import fc from "fast-check"

/** What the rules say, in the plainest form: a deposit per transaction and a sum of money. */
interface Model {
  readonly deposits: Array<{ status: DepositStatus; block: number | null; credited: boolean } | undefined>
  available: bigint
  moves: number
}

const unitsOf = (transaction: number): bigint => BigInt(2 ** transaction)

const takeBack = (model: Model, transaction: number, deposit: { status: DepositStatus; credited: boolean }): void => {
  if (deposit.credited) model.available -= unitsOf(transaction)
  deposit.credited = false
  deposit.status = "REORGED"
  model.moves += 1
}

/** Plays a step on the model and tells for which transactions it moved something, and whether it is carried out. */
const play = (
  model: Model,
  step: DepositStep,
  credits: boolean
): { readonly moved: ReadonlyArray<number>; readonly done: boolean } => {
  if (step._tag === "OutboundTransaction") {
    const done = model.available >= step.units
    if (done) model.available -= step.units
    return { moved: [], done }
  }
  const moved: Array<number> = []
  for (const transaction of new Set(step.transactions)) {
    const deposit = model.deposits[transaction]
    const here = deposit?.block === step.block
    if (step._tag === "Arrive") {
      const stands = deposit !== undefined && deposit.status !== "REORGED"
      if (stands && (here || step.block === null)) continue
      if (stands && deposit.block === null) {
        deposit.block = step.block
        moved.push(transaction)
        continue
      }
      if (stands) takeBack(model, transaction, deposit)
      model.deposits[transaction] = { status: "DETECTED", block: step.block, credited: false }
      model.moves += 1
    } else if (deposit === undefined || !here) {
      continue
    } else if (step._tag === "Confirm") {
      if (deposit.status !== "DETECTED") continue
      deposit.status = "CONFIRMED"
      model.moves += 1
      deposit.credited = credits
      if (credits) model.available += unitsOf(transaction)
    } else {
      if (deposit.status === "REORGED") continue
      takeBack(model, transaction, deposit)
    }
    moved.push(transaction)
  }
  return { moved, done: true }
}

const everything = Effect.fnUntraced(function* (ledger: TenantLedger) {
  return {
    head: ledger.head,
    balances: ledger.balances,
    deposits: yield* Stream.runCollect(ledger.deposits),
    events: yield* Stream.runCollect(ledger.events),
    operations: yield* Stream.runCollect(ledger.operations),
    findings: (yield* checkTenant(ledger)).filter(({ firstWrong }) => firstWrong !== null)
  }
})

/** Lives a life on the model and on the store at once, comparing after every batch. */
const compare = Effect.fnUntraced(function* (life: ReadonlyArray<ReadonlyArray<DepositStep>>, policy: TenantPolicy) {
  const storage = yield* Storage
  const { snapshot } = yield* LedgerSnapshot
  const { id } = yield* newTenant({ createdAt: past, policy })
  const credits = policy.creditOrigins.length > 0
  const [registered] = yield* storage.commit(id, [registerAddresses([addressItem(newEvmAddress())])], contextAt(past))
  const [result] = yield* Effect.orDie(registered ?? Exit.succeed([])) as Effect.Effect<ReadonlyArray<Registered>>
  if (result === undefined) return assert.fail("no address")
  const transactions = Array.from({ length: transactionsMax }, (_, transaction) =>
    incomingTransferAt(result.address, unitsOf(transaction), { txHash: `0x${transaction}` })
  )
  const inBlock = (transaction: number, block: number | null): IncomingTransfer => {
    const incomingTransfer = transactions[transaction]
    if (incomingTransfer === undefined) throw new Error(`there is no transaction ${transaction}`)
    return {
      ...incomingTransfer,
      block: block === null ? null : { number: 1_000 + block, hash: `0xblock${block}`, time: past }
    }
  }
  const commandOf = (step: DepositStep): Command<unknown> => {
    // its keys are the tenant's: what is spent leaves the float with the coins
    if (step._tag === "OutboundTransaction") return adjust(-step.units, "ETH", { against: "chain:ethereum:tenant" })
    const incomingTransfers = step.transactions.map((transaction) => inBlock(transaction, step.block))
    // a watcher names a deposit as it saw it, maybe long ago; the rules look only at its identity and its address
    const seen = incomingTransfers.map((incomingTransfer) => incomingTransfer as unknown as Deposit)
    switch (step._tag) {
      case "Arrive":
        return recordIncomingTransfers(
          { network: "ethereum", requiredConfirmations: 3, incomingTransfers },
          defaultCurrencies
        )
      case "Confirm":
        return confirmDeposits(
          seen.map((deposit) => ({ deposit, blockHash: deposit.block?.hash ?? "", confirmations: 3 })),
          defaultCurrencies,
          nothingUndecided
        )
      case "Reorg":
        return reorgDeposits(
          seen.map((deposit) => ({ deposit, blockHash: deposit.block?.hash ?? null })),
          defaultCurrencies
        )
    }
  }

  const model: Model = { deposits: [], available: 0n, moves: 0 }
  for (const [turn, steps] of life.entries()) {
    const before = yield* snapshot(id, everything)
    const exits = yield* storage.commit(id, steps.map(commandOf), contextAt(past + turn))
    const played = steps.map((step) => play(model, step, credits))
    for (const [index, { done, moved }] of played.entries()) {
      const exit = exits[index]
      assert.strictEqual(exit?._tag, done ? "Success" : "Failure")
      if (steps[index]?._tag === "OutboundTransaction" || exit?._tag !== "Success") continue
      const deposits = exit.value as ReadonlyArray<Deposit> // what the deposit commands reply with
      assert.deepStrictEqual(
        deposits.map(({ txHash }) => txHash),
        moved.map((transaction) => `0x${transaction}`)
      )
    }
    const after = yield* snapshot(id, everything)
    assert.deepStrictEqual(after.findings, [])
    assert.deepStrictEqual(
      model.deposits.flatMap((deposit, transaction) =>
        deposit === undefined
          ? []
          : [[`0x${transaction}`, deposit.status, deposit.block === null ? null : `0xblock${deposit.block}`]]
      ),
      after.deposits
        .toSorted((left, right) => left.txHash.localeCompare(right.txHash))
        .map(({ block, status, txHash }) => [txHash, status, block?.hash ?? null])
    )
    const available = after.balances.find(({ account }) => account === "float:available")?.units ?? 0n
    assert.strictEqual(available, model.available)
    assert.strictEqual(after.head.changeSeq, model.moves)
    assert.strictEqual(
      after.events.length,
      model.moves + after.operations.filter(({ kind }) => kind === "DEPOSIT").length
    )
    if (
      played.every(
        ({ done, moved }, index) => moved.length === 0 && (!done || steps[index]?._tag !== "OutboundTransaction")
      )
    ) {
      assert.deepStrictEqual({ ...after, head: before.head }, before)
    }
  }
  return undefined
})

interface Registered {
  readonly address: Parameters<typeof incomingTransferAt>[0]
}

const run = (life: ReadonlyArray<ReadonlyArray<DepositStep>>, policy: TenantPolicy): Promise<void> =>
  Effect.runPromise(Effect.asVoid(Effect.provide(compare(life, policy), Layer.fresh(Memory.layer))))

describe("the life of deposits", () => {
  it("is what the plain model says, whatever arrives, is confirmed, lost, mined again or spent, in whatever order", () =>
    fc.assert(
      fc.asyncProperty(depositLives, (life) => run(life, defaultPolicy)),
      { numRuns: 300 }
    ))

  it("is the same without a single entry in the books where the policy credits nothing", () =>
    fc.assert(
      fc.asyncProperty(depositLives, (life) => run(life, { ...defaultPolicy, creditOrigins: [] })),
      { numRuns: 100 }
    ))

  it("credits a deposit once that is named twice in one command", () =>
    run(
      [[{ _tag: "Arrive", transactions: [3, 3], block: 0 }], [{ _tag: "Confirm", transactions: [3, 3], block: 0 }]],
      defaultPolicy
    ))

  it("takes a credit back once that is named twice in one command", () =>
    run(
      [
        [
          { _tag: "Arrive", transactions: [3], block: 0 },
          { _tag: "Confirm", transactions: [3], block: 0 }
        ],
        [{ _tag: "Reorg", transactions: [3, 3], block: 0 }]
      ],
      defaultPolicy
    ))
})

import { assert, describe, layer } from "@effect/vitest"
import { Transaction } from "bitcoinjs-lib"
import { Effect } from "effect"
import type { SignedAttempt } from "@bursar/core/port/ChainSender"
import type { Utxo } from "@bursar/core/port/Utxo"
import { SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { BitcoinSenderWorld, coinUnits, finalAfter, senderWorldOn } from "../../support/SenderWorld.ts"
import { coreLayer, devnetLayer, skipReason } from "../../support/Bitcoind.ts"
import type { TestKey } from "../../support/Keys.ts"
import { orderOf, pay, sentOf, signedOf } from "../../support/orders.ts"
import { ownAddress, signed as signedUtxos, World } from "../../support/World.ts"

/** A transaction of some coins that the sender knows nothing of; without a fee, so that nodes do not take it back. */
const rivalOf = (utxos: ReadonlyArray<Utxo>, { secret }: TestKey) =>
  signedUtxos(
    utxos.map(({ txHash, units, vout }) => ({ txid: txHash, vout, units })),
    [{ to: ownAddress, units: utxos.reduce((sum, { units }) => sum + units, 0n) }],
    secret
  )

const outpointOf = ({ txHash, vout }: Utxo) => ({ txHash, vout })

/** The newest block away, and one with these transactions alone in its place. */
const replaceTip = Effect.fn("test.replaceTip")(function* (transactions: ReadonlyArray<string>) {
  const { mineOnly, rpc } = yield* World
  yield* rpc("invalidateblock", yield* rpc("getbestblockhash"))
  yield* mineOnly(transactions)
})

const suite = (name: string, world: ReturnType<typeof senderWorldOn>) =>
  layer(world, { excludeTestServices: true })(`the fate of transactions of bitcoin, on ${name}`, (it) => {
    it.effect(
      "rule 3: is open, whatever the index says of a lost block, until a foreign outbound transaction of a coin is deep",
      () =>
        Effect.gen(function* () {
          const { include, sender } = yield* SenderWorld
          const { mine, rpc } = yield* World
          const { fund, keys } = yield* BitcoinSenderWorld
          const payer = keys.next()
          const utxos = yield* fund([payer.p2wpkh])
          const order = orderOf(utxos, [pay(ownAddress, 100_000n)])
          const { signed } = yield* sentOf(order)
          yield* include
          assert.strictEqual((yield* sender.status(order, [signed]))._tag, "Included")
          const rival = rivalOf(utxos, payer)
          yield* replaceTip([rival.toHex()])
          // The trap: the index goes on naming the block that was lost.
          const trap = yield* rpc<{ readonly blockhash: string }>("getrawtransaction", signed.hash, true)
          assert.isString(trap.blockhash)
          const claimed = {
            txHash: signed.hash,
            contract: null,
            units: 100_000n,
            to: ownAddress,
            senders: [],
            memo: null
          }
          assert.strictEqual((yield* sender.prove(claimed)).verdict, "UNREADABLE")
          for (let deep = 1; deep < finalAfter.conflictConfirmations; deep++) {
            assert.deepStrictEqual(
              yield* sender.status(order, [signed]),
              { _tag: "Pending", known: false },
              `${deep} deep`
            )
            yield* mine(1)
          }
          const status = yield* sender.status(order, [signed])
          assert.deepInclude(status, {
            _tag: "Invalidated",
            reason: "replaced_on_chain",
            by: rival.getId(),
            spent: utxos.map(outpointOf)
          })
          const answer = yield* sender.broadcast(signed.raw)
          assert.deepInclude(answer, { _tag: "Rejected", reason: "guard_used" })
        })
    )

    it.effect("is impossible only when each of them lacks a coin: one that does not may still come", () =>
      Effect.gen(function* () {
        const { finalize, include, sender } = yield* SenderWorld
        const { mineOnly } = yield* World
        const { fund, keys } = yield* BitcoinSenderWorld
        const payer = keys.next()
        const [one, other] = yield* fund([payer.p2wpkh, payer.p2wpkh])
        if (one === undefined || other === undefined) return assert.fail("no coins")
        const payments = [pay(ownAddress, 100_000n)]
        const narrow = yield* signedOf(orderOf([one], payments))
        const wide = orderOf([one, other], payments, { replacing: narrow.signed.raw })
        const wider = yield* signedOf(wide)
        yield* mineOnly([rivalOf([other], payer).toHex()])
        yield* finalize
        const both = [narrow.signed, wider.signed]
        assert.strictEqual((yield* sender.status(wide, [wider.signed]))._tag, "Invalidated")
        assert.strictEqual((yield* sender.status(wide, both))._tag, "Pending")
        assert.strictEqual((yield* sender.broadcast(narrow.signed.raw))._tag, "Accepted")
        yield* include
        yield* finalize
        const status = yield* sender.status(wide, both)
        assert.deepInclude(status, { _tag: "Final", hash: narrow.signed.hash, fee: narrow.unsigned.feeMax })
      })
    )

    it.effect("tells which coins a foreign transaction has spent, and the others can be spent again", () =>
      Effect.gen(function* () {
        const { finalize, include, sender } = yield* SenderWorld
        const { mineOnly } = yield* World
        const { fund, keys } = yield* BitcoinSenderWorld
        const payer = keys.next()
        const utxos = yield* fund([payer.p2wpkh, payer.p2wpkh, payer.p2wpkh])
        const [one, other, last] = utxos
        if (one === undefined || other === undefined || last === undefined) return assert.fail("no coins")
        const payments = [pay(ownAddress, 2n * coinUnits + 100_000n)]
        const order = orderOf(utxos, payments)
        const first = yield* sentOf(order)
        const second = yield* signedOf({ ...order, replacing: first.signed.raw })
        const both = [first.signed, second.signed]
        const narrow = yield* signedOf(orderOf([other], [pay(ownAddress, 100_000n)]))
        yield* mineOnly([rivalOf([other], payer).toHex()])
        yield* finalize
        const status = yield* sender.status(order, both)
        const spent = [outpointOf(other)]
        assert.deepInclude(status, { _tag: "Invalidated", reason: "replaced_on_chain", spent })
        assert.deepInclude(yield* sender.status(order, [narrow.signed]), { _tag: "Invalidated", spent })
        const next = yield* sentOf(orderOf([one, last], [pay(ownAddress, coinUnits + 100_000n)]))
        yield* include
        yield* finalize
        assert.deepInclude(yield* sender.status(orderOf([one, last], []), [next.signed]), { _tag: "Final" })
        // what is spent by now, by whomever, is told of too
        assert.deepInclude(yield* sender.status(order, both), { _tag: "Invalidated", spent: utxos.map(outpointOf) })
        return undefined
      })
    )

    it.effect("of a token under which nothing was signed is open, until a foreign transaction has its coins", () =>
      Effect.gen(function* () {
        const { finalize, sender } = yield* SenderWorld
        const { mineOnly } = yield* World
        const { fund, keys } = yield* BitcoinSenderWorld
        const payer = keys.next()
        const utxos = yield* fund([payer.p2wpkh])
        const order = orderOf(utxos, [pay(ownAddress, 100_000n)])
        assert.deepStrictEqual(yield* sender.status(order, []), { _tag: "Pending", known: false })
        yield* mineOnly([rivalOf(utxos, payer).toHex()])
        assert.strictEqual((yield* sender.status(order, []))._tag, "Pending")
        yield* finalize
        assert.strictEqual((yield* sender.status(order, []))._tag, "Invalidated")
      })
    )

    it.effect("is found by the blocks alone by a sender that has seen none of them", () =>
      Effect.gen(function* () {
        const { finalize, include } = yield* SenderWorld
        const { mine } = yield* World
        const { fund, keys, senderWith } = yield* BitcoinSenderWorld
        const payer = keys.next()
        const utxos = yield* fund([payer.p2wpkh])
        const order = orderOf(utxos, [pay(keys.next().p2wpkh, 100_000n)])
        const { signed } = yield* sentOf(order)
        yield* include
        yield* finalize
        yield* mine(3)
        assert.strictEqual((yield* senderWith({}).status(order, [signed]))._tag, "Final")
        // A foreign transaction is in no index that could be asked for by the coin: the blocks are read.
        const others = yield* fund([payer.p2wpkh])
        const lost = orderOf(others, order.payments)
        const never = yield* signedOf(lost)
        const rival = rivalOf(others, payer)
        yield* (yield* World).mineOnly([rival.toHex()])
        yield* mine(5)
        const short = yield* Effect.flip(senderWith({ searchBlocksMax: 5 }).status(lost, [never.signed]))
        assert.strictEqual(short.reason, "absent")
        const status = yield* senderWith({ searchBlocksMax: 6 }).status(lost, [never.signed])
        assert.deepInclude(status, { _tag: "Invalidated", by: rival.getId() })
      })
    )

    it.effect(
      "is impossible where one coin never came to be, once a foreign transaction has another for good, and that one alone is spent",
      () =>
        Effect.gen(function* () {
          const { finalize, sender } = yield* SenderWorld
          const { mineOnly } = yield* World
          const { fund, keys } = yield* BitcoinSenderWorld
          const payer = keys.next()
          const [there] = yield* fund([payer.p2wpkh])
          if (there === undefined) return assert.fail("no coin")
          // as after a reorg that took the block away that had made it
          const lost = { ...there, txHash: "ab".repeat(32), vout: 0 }
          const transaction = rivalOf([lost, there], payer)
          const swept = { hash: transaction.getId(), raw: transaction.toBuffer(), validUntil: null }
          const order = orderOf([lost, there], [])
          assert.strictEqual((yield* Effect.flip(sender.status(order, [swept]))).reason, "absent")
          yield* mineOnly([rivalOf([there], payer).toHex()])
          yield* finalize
          assert.deepInclude(yield* sender.status(order, [swept]), { _tag: "Invalidated", spent: [outpointOf(there)] })
          return undefined
        })
    )

    it.effect("is told to be for a person to look at where the same payment was mined under another id", () =>
      Effect.gen(function* () {
        const { finalize, sender } = yield* SenderWorld
        const { mineOnly } = yield* World
        const { fund, keys } = yield* BitcoinSenderWorld
        const payer = keys.next()
        const utxos = yield* fund([payer.p2pkh])
        const order = orderOf(utxos, [pay(ownAddress, 100_000n)])
        const { signed } = yield* signedOf(order)
        const other = respelt(signed)
        assert.notStrictEqual(other.getId(), signed.hash)
        yield* mineOnly([other.toHex()])
        assert.deepInclude(yield* sender.status(order, [signed]), { _tag: "Included", hash: signed.hash })
        yield* finalize
        // It has paid: to call it impossible would let it be paid again.
        assert.deepInclude(yield* sender.status(order, [signed]), {
          _tag: "Final",
          hash: signed.hash,
          effect: "missing"
        })
      })
    )

    it.effect("is a bug to ask for with bytes that are not those of the hash", () =>
      Effect.gen(function* () {
        const { sender } = yield* SenderWorld
        const { fund, keys } = yield* BitcoinSenderWorld
        const utxos = yield* fund([keys.next().p2wpkh])
        const order = orderOf(utxos, [pay(ownAddress, coinUnits / 2n)])
        const { signed } = yield* signedOf(order)
        const exit = yield* Effect.exit(sender.status(order, [{ ...signed, hash: "ee".repeat(32) }]))
        assert.strictEqual(exit._tag, "Failure")
      })
    )
  })

/** The same transaction with its signature written with one byte more, as anybody can do to it: another id. */
const respelt = ({ raw }: SignedAttempt): Transaction => {
  const transaction = Transaction.fromBuffer(Uint8Array.from(raw))
  const script = transaction.ins[0]?.script ?? new Uint8Array()
  // OP_PUSHDATA1 in front of the length says what the length alone says.
  transaction.setInputScript(0, Uint8Array.of(0x4c, ...script))
  return transaction
}

suite("the devnet", senderWorldOn(devnetLayer))

describe.skipIf(skipReason !== undefined)(`Bitcoin Core${skipReason ?? ""}`, () => {
  suite("Bitcoin Core", senderWorldOn(coreLayer))
})

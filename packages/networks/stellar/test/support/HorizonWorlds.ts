import { makeStellarReader, makeStellarSender, stellarCodec } from "@bursar/stellar"
import { ChainWorld } from "@bursar/testkit/suites/chain/ChainWorld"
import { SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { Asset, type Keypair, Operation } from "@stellar/stellar-sdk/base"
import { Clock, Effect, Layer, Redacted, Schedule } from "effect"
import { HorizonNode } from "./HorizonNode.ts"
import { sdkMemo, tooMuch } from "./World.ts"

const textOf = (units: bigint) => `${units / 10_000_000n}.${String(units % 10_000_000n).padStart(7, "0")}`

const unitsOf = (text: string) => BigInt(text.replace(".", ""))

const noFaults = Effect.die(new Error("nothing stands between the tests and Horizon"))

/** How long the world's transactions are valid: what expires is waited for. */
const validityMs = 30_000

/** A private network behind Horizon in the terms of the suite of chain readers. */
const chainLayer = Layer.effect(
  ChainWorld,
  Effect.map(HorizonNode, ({ account, asset, bank, close, networkPassphrase, submit, url }) => {
    const token = asset.toString()
    const pay = (to: string, units: bigint, paid: Asset) =>
      Operation.payment({ destination: to, asset: paid, amount: textOf(units) })
    const included = (sent: ReturnType<typeof submit>) =>
      Effect.map(sent, ({ hash, ledgerHash }) => ({ txHash: hash, blockHash: ledgerHash }))
    const keys = new Map<string, Keypair>()
    return ChainWorld.of({
      reader: makeStellarReader({ horizonUrl: Redacted.make(url), networkPassphrase, assets: [token] }),
      address: Effect.map(account, (key) => {
        keys.set(key.publicKey(), key)
        return key.publicKey()
      }),
      finalAfter: 0,
      sendOther: Effect.fnUntraced(function* (to, units) {
        const counterfeiter = yield* account
        const fake = new Asset("USDC", counterfeiter.publicKey())
        yield* submit(keys.get(to) ?? bank, [Operation.changeTrust({ asset: fake })])
        return yield* included(submit(counterfeiter, [pay(to, units, fake)]))
      }),
      sendFailing: (to) => included(submit(bank, [pay(to, tooMuch, asset)], { mayFail: true })),
      sendWithMemo: (to, units, memo) =>
        included(submit(bank, [pay(to, units, Asset.native())], { memo: sdkMemo(memo) })),
      unknownHash: "ee".repeat(32),
      token,
      anotherToken: null,
      large: { coin: 20_000_000_001n, token: 20_000_000_001n },
      send: (to, units, contract) =>
        Effect.map(included(submit(bank, [pay(to, units, contract === null ? Asset.native() : asset)])), (mined) => ({
          ...mined,
          from: bank.publicKey()
        })),
      sendMany: (to, amounts, contract) =>
        included(
          submit(
            bank,
            amounts.map((units) => pay(to, units, contract === null ? Asset.native() : asset))
          )
        ),
      mine: close,
      reorg: () => Effect.die(new Error("stellar has no reorgs")),
      breakNode: () => noFaults,
      heal: Effect.void
    })
  })
)

/** The same in the terms of the suite of chain senders: its ledgers close when told to. */
const senderLayer = Layer.effect(
  SenderWorld,
  Effect.map(HorizonNode, (node) => {
    const { asset, bank, close, get, issuer, networkPassphrase, submit } = node
    const contract = asset.toString()
    const keys = new Map<string, Keypair>()
    const numbers = new Map<string, bigint>()
    const keyOf = (address: string) => {
      const key = keys.get(address)
      if (key === undefined) throw new Error(`the world has no key of ${address}`)
      return key
    }
    const account = Effect.gen(function* () {
      const key = yield* node.account
      const address = key.publicKey()
      yield* submit(bank, [Operation.payment({ destination: address, asset, amount: "5" })])
      keys.set(address, key)
      return address
    })
    const large = 20_000_000_001n
    const latestTime = Effect.map(get(""), (root) => Date.parse(String(root?.["history_latest_ledger_closed_at"])))
    return SenderWorld.of({
      sender: makeStellarSender({ horizonUrl: Redacted.make(node.url), networkPassphrase, assets: [contract] }),
      format: stellarCodec({ networkPassphrase, assets: [contract] }),
      contract,
      account,
      large: { coin: large, token: large },
      richAccount: Effect.tap(account, (destination) =>
        submit(
          bank,
          [Asset.native(), asset].map((paid) => Operation.payment({ destination, asset: paid, amount: textOf(large) }))
        )
      ),
      finalAfter: 0,
      receiver: account,
      unknownHash: "ee".repeat(32),
      balance: (address, held) =>
        Effect.map(get(`accounts/${address}`), (said) => {
          // Horizon's accounts have this form.
          const balances = (said?.["balances"] ?? []) as ReadonlyArray<Readonly<Record<string, string>>>
          const line = balances.find((each) =>
            held === null ? each["asset_type"] === "native" : `${each["asset_code"]}:${each["asset_issuer"]}` === held
          )
          return unitsOf(line?.["balance"] ?? "0")
        }),
      memoOf: (hash) =>
        Effect.map(get(`transactions/${hash}`), (said) => {
          const [type, value] = [said?.["memo_type"], String(said?.["memo"])]
          return type === "text" || type === "id" ? { type, value } : null
        }),
      take: Effect.fnUntraced(function* (address) {
        const sequence = numbers.get(address) ?? (yield* node.sequenceOf(address)) + 1n
        numbers.set(address, sequence + 1n)
        return { _tag: "Sequence", account: address, sequence }
      }),
      validUntil: Effect.map(
        Effect.all([Clock.currentTimeMillis, latestTime]),
        ([now, latest]) => Math.max(now, latest) + validityMs
      ),
      sign: (address, digest) => {
        const key = keyOf(address)
        return { publicKey: key.rawPublicKey(), bytes: key.sign(digest), recovery: null }
      },
      include: close(1),
      finalize: Effect.void,
      reorg: Effect.die(new Error("stellar has no reorgs")),
      rival: ({ guard }) =>
        guard._tag === "Sequence"
          ? Effect.map(submit(keyOf(guard.account), [Operation.bumpSequence({ bumpTo: "0" })]), ({ hash }) => hash)
          : Effect.die(new Error("stellar counts transactions")),
      expire: ({ validUntil }) =>
        Effect.asVoid(
          Effect.repeat(Effect.andThen(close(1), latestTime), {
            until: (time) => time > (validUntil ?? 0),
            schedule: Schedule.spaced("1 second")
          })
        ),
      setPaused: (paused) => {
        const operations = [...keys.keys()]
          .slice(-50)
          .map((trustor) => Operation.setTrustLineFlags({ trustor, asset, flags: { authorized: !paused } }))
        return Effect.asVoid(submit(issuer, operations))
      },
      breakNode: () => noFaults,
      heal: Effect.void
    })
  })
)

/** The world of the suite of chain readers on the Horizon that is named. */
export const horizonChainWorld = Layer.provide(chainLayer, HorizonNode.layer)

/** The world of the suite of chain senders on it. */
export const horizonSenderWorld = Layer.provide(senderLayer, HorizonNode.layer)

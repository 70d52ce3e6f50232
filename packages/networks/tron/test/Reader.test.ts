import { base58Of } from "@bursar/simulator-tron/address"
import { tokens } from "@bursar/simulator-tron/contracts"
import { TransferIndex } from "@bursar/tron"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { type Instead, type Json, never, tamper, TamperingNode, Text } from "./support/TamperingNode.ts"
import { inHex, World } from "./support/World.ts"

const someone = "41" + "cd".repeat(20)
const contract = "41" + "ab".repeat(20)

/** A block with a transfer of coin, and one with a transfer of tokens. */
const usual = Effect.gen(function* () {
  const { address, devnet } = yield* World
  const { chain } = devnet.faucet
  const to = yield* address
  yield* Effect.orDie(devnet.faucet.sendNative(inHex(to), 5n))
  const coin = chain.head().id
  yield* Effect.orDie(devnet.faucet.transfer(tokens[0]!, inHex(to), 6n))
  return { to, coin, token: chain.head().id }
})

// The answers are those of the local network, whose shape is known.
const listOf = (answer: unknown) => answer as ReadonlyArray<Json>
const objectOf = (answer: unknown) => answer as Json

const everyInfo =
  (change: (info: Json) => Json): Instead =>
  (answer) =>
    listOf(answer).map(change)

const everyTransaction =
  (change: (transaction: Json) => Json): Instead =>
  (answer) => ({ ...objectOf(answer), transactions: listOf(objectOf(answer)["transactions"]).map(change) })

const header =
  (change: Json): Instead =>
  (answer) => {
    const head = objectOf(objectOf(answer)["block_header"])
    return { ...objectOf(answer), block_header: { ...head, raw_data: { ...objectOf(head["raw_data"]), ...change } } }
  }

layer(TamperingNode.layer, { excludeTestServices: true })("TronReader, reading a node that is wrong", (it) => {
  const blocks = "getblockbyid"
  const infos = "gettransactioninfobyblocknum"

  const lies: ReadonlyArray<readonly [string, string, Instead]> = [
    ["another block", blocks, (answer) => ({ ...objectOf(answer), blockID: "0".repeat(15) + "1" + "ab".repeat(24) })],
    ["a block without an id", blocks, (answer) => ({ ...objectOf(answer), blockID: undefined })],
    ["a block whose id has another height", blocks, header({ number: 70_000 })],
    ["a block without a time", blocks, header({ timestamp: undefined })],
    ["a block of another time", blocks, header({ timestamp: 1_700_000_000_000 })],
    ["a parent of another height", blocks, header({ parentHash: "ee".repeat(32) })],
    ["another root", blocks, header({ txTrieRoot: "ee".repeat(32) })],
    [
      "a block whose transactions were left out",
      blocks,
      (answer) => ({ ...objectOf(answer), transactions: undefined })
    ],
    [
      "a transaction twice",
      blocks,
      (answer) => {
        const list = listOf(objectOf(answer)["transactions"])
        return { ...objectOf(answer), transactions: [...list, ...list] }
      }
    ],
    ["a transaction under another id", blocks, everyTransaction((each) => ({ ...each, txID: "ee".repeat(32) }))],
    ["an error", blocks, () => ({ Error: "class java.lang.NullPointerException : null" })],
    ["a text", blocks, () => "unexpected"],
    ["nothing of the infos", infos, () => []],
    ["an object for the infos", infos, () => ({})],
    ["an info too many", infos, (answer) => [...listOf(answer), ...listOf(answer)]],
    ["infos of another transaction", infos, everyInfo((info) => ({ ...info, id: "ee".repeat(32) }))],
    ["infos of another height", infos, everyInfo((info) => ({ ...info, blockNumber: 1 }))],
    ["infos of another time", infos, everyInfo((info) => ({ ...info, blockTimeStamp: 1 }))],
    ["an info that contradicts the block", infos, everyInfo((info) => ({ ...info, receipt: { result: "REVERT" } }))],
    ["an info that failed", infos, everyInfo((info) => ({ ...info, result: "FAILED" }))],
    ["another block in its place", "getblock", () => ({})],
    ["another header in its place", "getblock", header({ number: 1 })]
  ]
  for (const [name, endpoint, instead] of lies) {
    it.effect(`concludes nothing from ${name}`, () =>
      Effect.gen(function* () {
        const { chain, change, honest } = yield* TamperingNode
        const { coin, to, token } = yield* usual
        for (const hash of [coin, token]) {
          change(endpoint, instead)
          const error = yield* Effect.flip(chain.block(hash))
          assert.strictEqual(error._tag, "ChainError")
          honest()
          assert.lengthOf(
            (yield* chain.block(hash)).transfers.filter((moved) => moved.to === to),
            1
          )
        }
      })
    )
  }

  const odd = "ee".repeat(20)
  // The bytes that were signed would contradict it.
  const withContract = (type: string, value: unknown) =>
    everyTransaction(({ raw_data_hex: _signed, ...each }) => ({
      ...each,
      raw_data: { contract: [{ type, parameter: { value } }] }
    }))
  const unreadCases: ReadonlyArray<readonly [string, string, Instead, RegExp]> = [
    [
      "a transaction without its contract",
      blocks,
      everyTransaction((each) => ({ ...each, raw_data: {} })),
      /contract/u
    ],
    [
      "a transaction with no contract",
      blocks,
      everyTransaction((each) => ({ ...each, raw_data: { contract: [] } })),
      /no contract/u
    ],
    ["a contract without its value", blocks, withContract("TransferContract", undefined), /object/u],
    [
      "an amount below zero",
      blocks,
      withContract("TransferContract", { owner_address: someone, to_address: contract, amount: -1 }),
      /amount/u
    ],
    [
      "a contract of a new type",
      blocks,
      withContract("TeleportContract", { owner_address: someone, legs: [{ to: `41${odd}` }], amount: 7 }),
      /TeleportContract/u
    ],
    ["logs that are no list", infos, everyInfo((info) => ({ ...info, log: "many" })), /array/iu],
    [
      "inner calls that are no list",
      infos,
      everyInfo((info) => ({ ...info, internal_transactions: { 0: {} } })),
      /array/iu
    ],
    [
      "an inner call of no amount",
      infos,
      everyInfo((info) => ({ ...info, internal_transactions: [{ callValueInfo: [{ callValue: -1 }] }] })),
      /callValue/u
    ]
  ]
  for (const [name, endpoint, instead, reason] of unreadCases) {
    it.effect(`names the transaction and reads on at ${name}`, () =>
      Effect.gen(function* () {
        const { chain, change, honest } = yield* TamperingNode
        const { coin } = yield* usual
        const [moved] = (yield* chain.block(coin)).transfers
        change(endpoint, instead)
        const { transfers, unread = [] } = yield* chain.block(coin)
        honest()
        assert.deepStrictEqual(
          unread.map(({ txHash }) => txHash),
          [moved?.txHash]
        )
        assert.match(unread[0]?.reason ?? "", reason)
        // What can be read of it is.
        assert.deepStrictEqual(transfers, endpoint === infos && moved !== undefined ? [moved] : [])
        assert.deepStrictEqual(
          unread[0]?.gains,
          name === "a contract of a new type"
            ? [
                { to: base58Of(someone), contract: null, units: 7n },
                { to: base58Of(`41${odd}`), contract: null, units: 7n }
              ]
            : name === "an amount below zero"
              ? [
                  { to: base58Of(someone), contract: null, units: 0n },
                  { to: base58Of(contract), contract: null, units: 0n }
                ]
              : null
        )
      })
    )
  }

  const signedOtherwise: ReadonlyArray<readonly [string, (value: Json) => Json, string?]> = [
    ["another amount", (value) => ({ ...value, amount: 6 })],
    ["another receiver", (value) => ({ ...value, to_address: contract })],
    ["another sender", (value) => ({ ...value, owner_address: contract })],
    ["another contract", () => ({}), "VoteWitnessContract"]
  ]
  for (const [name, change, other] of signedOtherwise) {
    it.effect(`credits nothing of a transaction that says ${name} than was signed, and names it`, () =>
      Effect.gen(function* () {
        const { chain, change: changeAnswer, honest } = yield* TamperingNode
        const { coin } = yield* usual
        const [moved] = (yield* chain.block(coin)).transfers
        changeAnswer(
          blocks,
          everyTransaction((each) => {
            const [said = {}] = listOf(objectOf(each["raw_data"])["contract"])
            const value = change(objectOf(objectOf(said["parameter"])["value"]))
            const type = other ?? said["type"]
            return { ...each, raw_data: { ...objectOf(each["raw_data"]), contract: [{ type, parameter: { value } }] } }
          })
        )
        const { transfers, unread = [] } = yield* chain.block(coin)
        honest()
        assert.deepStrictEqual(transfers, [])
        assert.deepStrictEqual(
          unread.map(({ reason, txHash }) => [txHash, reason]),
          [[moved?.txHash, "it does not say what was signed"]]
        )
      })
    )
  }

  it.effect(
    "is not kept from a block by what concerns nobody: other contracts' logs, what failed, and what pays none",
    () =>
      Effect.gen(function* () {
        const { change, honest, reader } = yield* TamperingNode
        const chain = reader({})
        const { token } = yield* usual
        const block = yield* chain.block(token)
        change(
          infos,
          everyInfo((info) => ({
            ...info,
            log: [
              ...listOf(info["log"]),
              { address: odd, topics: ["short"], data: 7 },
              { address: odd, topics: "none" }
            ]
          }))
        )
        // logs of contracts that nobody called, beside no listed call, show what the node leaves out
        const { unseen = "", ...same } = yield* chain.block(token)
        assert.deepStrictEqual(same, block)
        assert.include(unseen, "TRX that contracts send")
        honest()
        const { coin } = yield* usual
        change(blocks, withContract("VoteWitnessContract", { votes: "riddles" }))
        const voted = yield* chain.block(coin)
        honest()
        assert.deepStrictEqual([voted.transfers, voted.unread], [[], undefined])
      })
  )

  it.effect("finds the coin that a token of the network is bought with", () =>
    Effect.gen(function* () {
      const { chain, change, honest } = yield* TamperingNode
      const { coin } = yield* usual
      const value = { owner_address: someone, to_address: contract, amount: 9, asset_name: "31" }
      change(blocks, withContract("ParticipateAssetIssueContract", value))
      const { transfers } = yield* chain.block(coin)
      honest()
      assert.deepStrictEqual(
        transfers.map(({ from, to, units }) => [from, to, units]),
        [[base58Of(someone), base58Of(contract), 9n]]
      )
    })
  )

  it.effect(
    "says that the node does not list what contracts send, as soon as a block shows it, until one shows that it does",
    () =>
      Effect.gen(function* () {
        const { change, honest, reader } = yield* TamperingNode
        const chain = reader({})
        const readWith = (fields: (info: Json) => Json) =>
          Effect.gen(function* () {
            const { token } = yield* usual
            change(
              infos,
              everyInfo((info) => ({ ...info, ...fields(info) }))
            )
            yield* chain.block(token)
            honest()
            return (yield* chain.tip).unseen
          })
        const foreign = (info: Json) => ({ log: [...listOf(info["log"]), { address: odd }] })
        assert.isUndefined(yield* readWith(() => ({})))
        assert.isUndefined(yield* readWith((info) => ({ ...foreign(info), internal_transactions: [call([{}])] })))
        assert.match((yield* readWith(foreign)) ?? "", /saveInternalTx/u)
        assert.match((yield* readWith(() => ({}))) ?? "", /saveInternalTx/u)
        assert.isUndefined(yield* readWith((info) => ({ ...foreign(info), internal_transactions: [call([{}])] })))
      })
  )

  it.effect("concludes nothing where a contract does not say how it ended", () =>
    Effect.gen(function* () {
      const { chain, change, honest } = yield* TamperingNode
      const { token } = yield* usual
      change(
        infos,
        everyInfo((info) => ({ ...info, receipt: {} }))
      )
      assert.match((yield* Effect.flip(chain.block(token))).message, /how the contract ended/u)
      honest()
    })
  )

  it.effect("takes an empty answer for a block that is not known, and for no tip at all", () =>
    Effect.gen(function* () {
      const { chain, change, honest } = yield* TamperingNode
      const { coin } = yield* usual
      change(blocks, () => ({}))
      change("getblock", () => ({}))
      assert.strictEqual((yield* Effect.flip(chain.block(coin))).reason, "absent")
      assert.strictEqual((yield* Effect.flip(chain.header(1))).reason, "absent")
      assert.strictEqual((yield* Effect.flip(chain.tip)).reason, "inconsistent")
      honest()
    })
  )

  it.effect("shows what a node says in plain text", () =>
    Effect.gen(function* () {
      const { token } = yield* usual
      const { chain, change, honest } = yield* TamperingNode
      const closed = "this API is closed because this node is a lite fullnode"
      change("getblockbyid", () => new Text(closed))
      const error = yield* Effect.flip(chain.block(token))
      honest()
      assert.strictEqual(error.reason, "unreachable")
      assert.include(error.detail, `the answer is not JSON: ${closed}`)
    })
  )

  it.effect("calls a node unreachable that is asked too much", () =>
    Effect.gen(function* () {
      const { devnet, reader } = yield* World
      const { coin } = yield* usual
      // a node of its own: it is left alone after that
      const { change, nodeUrl } = yield* tamper(devnet.nodeUrl)
      change(blocks, () => new Text("{}", 429))
      const { detail, reason } = yield* Effect.flip(reader({ nodeUrl }).block(coin))
      assert.strictEqual(reason, "unreachable")
      assert.match(detail, /HTTP 429/u)
    })
  )

  it.effect("calls a node unreachable that is busy, gone, silent or has no such endpoint", () =>
    Effect.gen(function* () {
      const { change, honest, reader } = yield* TamperingNode
      const { coin } = yield* usual
      const [chain, impatient] = [reader({}), reader({ timeoutMs: 50 })]
      // the words of a node with less than the whole history
      const lite = "this API is closed because this node is a lite fullnode"
      const answers = [
        [new Text("busy", 503), /HTTP 503: busy/u],
        [new Text(lite), /the answer is not JSON: this API is closed because this node is a lite fullnode/u],
        [new Text("", 404), /./u]
      ] as const
      for (const [answer, said] of answers) {
        change(blocks, () => answer)
        const { detail, reason } = yield* Effect.flip(chain.block(coin))
        assert.strictEqual(reason, "unreachable")
        assert.match(detail, said)
      }
      change(blocks, () => never)
      assert.match((yield* Effect.flip(impatient.block(coin))).detail, /no answer within 50 ms/u)
      honest()
    })
  )

  it.effect("reads headers from full blocks where the node has no getblock", () =>
    Effect.gen(function* () {
      const { change, chain, honest, reader } = yield* TamperingNode
      const { coin } = yield* usual
      const [tip, block] = [yield* chain.tip, yield* chain.block(coin)]
      change("getblock", () => new Text("", 405))
      const older = reader({})
      assert.deepStrictEqual(yield* older.tip, tip)
      assert.deepStrictEqual(yield* older.header(tip.latest.number), tip.latest)
      assert.deepStrictEqual(yield* older.block(coin), block)
      honest()
    })
  )

  it.effect("asks for headers again a minute after the node said that it has no getblock", () =>
    Effect.gen(function* () {
      const { change, honest, reader } = yield* TamperingNode
      const { coin } = yield* usual
      const { number } = yield* reader({}).block(coin)
      let asked = 0
      change("getblock", () => {
        asked++
        return new Text("", 405)
      })
      const header = reader({}).header(number)
      yield* header
      yield* TestClock.adjust("59 seconds")
      yield* header
      assert.strictEqual(asked, 1)
      yield* TestClock.adjust("1 second")
      yield* header
      assert.strictEqual(asked, 2)
      honest()
    }).pipe(Effect.provide(TestClock.layer()))
  )

  it.effect("does not put what is confirmed above the latest block", () =>
    Effect.gen(function* () {
      const { change, chain, honest } = yield* TamperingNode
      const { devnet } = yield* World
      const latest = devnet.faucet.chain.head()
      yield* devnet.faucet.mine(4)
      let asked = 0
      // The first question is for the latest block, and is put to a node that is behind.
      const behind = { ...objectOf(yield* Effect.promise(() => blockBy(devnet.nodeUrl, latest.id))) }
      change("getblock", (answer) => (asked++ === 0 ? behind : answer))
      const tip = yield* chain.tip
      assert.isAtMost(tip.confirmed, tip.latest.number)
      honest()
    })
  )

  it.effect("sends its key to the node", () =>
    Effect.gen(function* () {
      const { headers, reader } = yield* TamperingNode
      yield* reader({ apiKey: Redacted.make("a-key") }).tip
      assert.strictEqual(headers()["tron-pro-api-key"], "a-key")
    })
  )

  /** What is found in a block whose contract did this besides. */
  const besides = (internal: ReadonlyArray<Json>) =>
    Effect.gen(function* () {
      const { chain, change, honest } = yield* TamperingNode
      const { token } = yield* usual
      change(
        infos,
        everyInfo((info) => ({ ...info, internal_transactions: internal }))
      )
      const { transfers } = yield* chain.block(token)
      honest()
      return transfers
        .filter((moved) => moved.contract === null)
        .map(({ transferIndex, units }) => [transferIndex, units])
    })

  const call = (callValueInfo: ReadonlyArray<Json>, more: Json = {}): Json => ({
    caller_address: contract,
    transferTo_address: someone,
    callValueInfo,
    note: "63616c6c",
    ...more
  })

  it.effect("counts what contracts send by call, creation and suicide", () =>
    Effect.gen(function* () {
      const found = yield* besides([
        call([{ callValue: 1 }]),
        call([{ callValue: 2 }], { note: "637265617465" }),
        call([{ callValue: 3 }], { note: "73756963696465" })
      ])
      assert.deepStrictEqual(
        found,
        [1, 2, 3].map((units, index) => [TransferIndex.internalFirst + index, BigInt(units)])
      )
    })
  )

  it.effect(
    "does not take resources that are delegated or staked for coin, and numbers as if they were not listed",
    () =>
      Effect.gen(function* () {
        const notes = ["delegateResourceOfEnergy", "freezeBalanceV2ForEnergy", "withdrawReward", "voteWitness"]
        const staked = notes.map((note) => call([{ callValue: 9 }], { note: Buffer.from(note).toString("hex") }))
        const found = yield* besides([...staked, call([]), call([{}]), call([{ callValue: 4 }])])
        assert.deepStrictEqual(found, [[TransferIndex.internalFirst, 4n]])
      })
  )

  it.effect(
    "counts what a contract had unstaked and leaves by destroying itself once, also where a node lists it apart",
    () =>
      Effect.gen(function* () {
        const noteOf = (text: string) => ({ note: Buffer.from(text).toString("hex") })
        const destroyed = call([{ callValue: 5 }], noteOf("suicide"))
        const apart = call([{ callValue: 2 }], noteOf("withdrawExpireUnfreezeWhileSuiciding"))
        const { internalFirst } = TransferIndex
        const once = [
          [internalFirst, 5n],
          [internalFirst + 1, 4n]
        ]
        const after = call([{ callValue: 4 }])
        assert.deepStrictEqual(yield* besides([destroyed, after]), once)
        assert.deepStrictEqual(yield* besides([destroyed, apart, after]), once)
      })
  )

  it.effect("does not take what was rejected, TRC-10 tokens, or a contract's payment to itself for coin", () =>
    Effect.gen(function* () {
      const found = yield* besides([
        call([{ callValue: 1 }], { rejected: true }),
        call([{ callValue: 7, tokenId: "1000001" }]),
        call([{ callValue: 2 }], { transferTo_address: contract }),
        call([{ callValue: 3 }, { callValue: 8, tokenId: "1000001" }])
      ])
      assert.deepStrictEqual(found, [[TransferIndex.internalFirst + 2, 3n]])
    })
  )

  it.effect("reads a log by its place among all logs, whoever wrote them", () =>
    Effect.gen(function* () {
      const { chain, change, honest } = yield* TamperingNode
      const { to, token } = yield* usual
      change(
        infos,
        everyInfo((info) => {
          const [log = {}] = listOf(info["log"])
          return {
            ...info,
            log: [
              {},
              { ...log, address: "ab".repeat(20) },
              { ...log, topics: listOf(log["topics"]).slice(0, 2) },
              { ...log, data: "" },
              log,
              { ...log, address: `41${String(log["address"])}` }
            ]
          }
        })
      )
      const { transfers } = yield* chain.block(token)
      honest()
      assert.deepStrictEqual(
        transfers.map((moved) => [moved.to, moved.transferIndex, moved.units]),
        [
          [to, 4, 6n],
          [to, 5, 6n]
        ]
      )
    })
  )

  it.effect("has no sender for tokens that are minted", () =>
    Effect.gen(function* () {
      const { chain, change, honest } = yield* TamperingNode
      const { token } = yield* usual
      change(
        infos,
        everyInfo((info) => {
          const [log = {}] = listOf(info["log"])
          const [topic, , receiver] = listOf(log["topics"])
          return { ...info, log: [{ ...log, topics: [topic, "0".repeat(64), receiver] }] }
        })
      )
      const { transfers } = yield* chain.block(token)
      honest()
      assert.deepStrictEqual(
        transfers.map(({ from }) => from),
        [null]
      )
    })
  )
})

const blockBy = (url: string, value: string): Promise<unknown> =>
  fetch(`${url}/wallet/getblockbyid`, { method: "POST", body: JSON.stringify({ value }) }).then((response) =>
    response.json()
  )

import { muxed } from "@bursar/stellar"
import { assert, describe, it } from "@effect/vitest"
import { hash as sha256, Networks, xdr } from "@stellar/stellar-sdk/base"
import { Effect, Result, Schema } from "effect"
import { readFileSync } from "node:fs"
import { makeHorizonHttp } from "../src/internal/rpc/Rpc.ts"
import { memoOf } from "../src/internal/read/memoOf.ts"
import { movesOf } from "../src/internal/read/movesOf.ts"
import { readAccount } from "../src/internal/build/readAccount.ts"
import { readFees } from "../src/internal/build/readFees.ts"
import { readSigned, signedMove, typeOf } from "../src/internal/read/signed.ts"
import { partsOf } from "../src/internal/read/toid.ts"
import { Operation, TransactionMemo } from "../src/internal/rpc/wire.ts"
import { scriptedHorizon } from "./support/ScriptedHorizon.ts"
import { differences, shapeOf } from "./support/shapes.ts"
import type { Json } from "./support/TamperingNode.ts"

interface Recorded {
  readonly answers: ReadonlyArray<{
    readonly kind: string
    readonly origin: string
    /** How an older release differs from the shape of today's. */
    readonly unlike: ReadonlyArray<string>
    readonly answer: Json
  }>
  readonly mainNetwork: {
    readonly headers: ReadonlyArray<{ readonly sequence: number; readonly header_xdr: string }>
    readonly transactions: ReadonlyArray<{
      readonly hash: string
      readonly envelope_xdr: string
      readonly result_xdr: string
    }>
  }
}

// What the file says of itself.
const { answers, mainNetwork } = JSON.parse(
  readFileSync(new URL("./recorded/answers.json", import.meta.url), "utf8")
) as Recorded

const usdc = "USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN"

const all = (kind: string) => answers.filter((one) => one.kind === kind).map(({ answer }) => answer)

const only = (kind: string): Json => {
  const [answer = {}] = all(kind)
  return answer
}

const scripted = Effect.gen(function* () {
  const node = yield* scriptedHorizon({ networkPassphrase: Networks.PUBLIC, assets: [usdc] })
  return { ...node, http: makeHorizonHttp({ horizonUrl: node.url, rpcUrl: undefined, timeoutMs: 5_000, callsMax: 1 }) }
})

/** What an operation moved by what Horizon said of it alone. */
const movedBy = (answer: Json) => {
  const operation = Schema.decodeUnknownSync(Operation)(answer)
  const index = partsOf(operation.id).operation - 1
  return movesOf(new Set([usdc]), { operation, index, answer, transactionAnswer: {}, signed: () => undefined })
}

describe("what Horizon answered when it was recorded", () => {
  it("has the fields of today's release, but for what older ones did otherwise", () => {
    assert.isAtLeast(answers.length, 18)
    for (const { answer, kind, origin, unlike } of answers) {
      assert.deepStrictEqual(differences(shapeOf(kind), answer), unlike, origin)
    }
  })

  it.live("gives a ledger of the main network by its header", () =>
    Effect.gen(function* () {
      const { answer, chain } = yield* scripted
      const ledger = only("ledger")
      answer(() => ledger)
      const { hash, number, parentHash } = yield* chain.header(27_146_933)
      assert.deepStrictEqual([number, hash, parentHash], [27_146_933, ledger["hash"], ledger["prev_hash"]])
    })
  )

  it("names the parent of each ledger of the main network by the hash of its header", () => {
    const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
    const headers = mainNetwork.headers.map(({ header_xdr }) => xdr.LedgerHeader.fromXdr(header_xdr, "base64"))
    assert.deepStrictEqual(
      headers.slice(1).map(({ previousLedgerHash }) => hexOf(previousLedgerHash.toBytes())),
      headers.slice(0, -1).map((header) => hexOf(sha256(header.toXdr())))
    )
    assert.deepStrictEqual(
      headers.map(({ ledgerSeq }) => ledgerSeq),
      mainNetwork.headers.map(({ sequence }) => sequence)
    )
  })

  it("gives transactions whose envelopes give their hashes, from before protocol 13 and since, with the memo that it tells", () => {
    const told = all("transaction")
    assert.lengthOf(told, 2)
    for (const [index, answer] of told.entries()) {
      const signed = readSigned([Networks.PUBLIC, Networks.TESTNET][index] ?? "", String(answer["envelope_xdr"]))
      assert.deepStrictEqual<ReadonlyArray<unknown> | undefined>(signed?.hashes(), [answer["hash"]])
      const memo = memoOf(Schema.decodeUnknownSync(TransactionMemo)(answer))
      assert.deepStrictEqual(memo, Result.succeed(signed?.memo ?? null))
    }
  })

  it("moves by transactions of the main network what was signed, and its result says", () => {
    const moved = mainNetwork.transactions.map(({ envelope_xdr, hash, result_xdr }) => {
      const signed = readSigned(Networks.PUBLIC, envelope_xdr)
      assert.isDefined(signed)
      assert.include(signed.hashes(), hash)
      return signed.operations.map((operation, index) => {
        const move = signedMove(signed, index, result_xdr)
        const from = move?.from?.slice(0, 4)
        return [typeOf(operation), move?.asset.slice(0, 9), move?.units, from, move?.to.slice(0, 4), signed.memo?.value]
      })
    })
    // what path payments bought, nobody has sent
    const path = ["path_payment_strict_receive", "HU:GBGRBC", 1_0000000n, undefined, "GAFB", undefined]
    assert.deepStrictEqual(moved, [
      [["payment", "USDC:GA5Z", 1_0000000n, "GAUA", "GCAQ", undefined]],
      [["payment", "native", 4850880n, "GD5H", "GBXB", "1000009803"]],
      [["path_payment_strict_send", "native", 6274n, undefined, "GBLV", undefined]],
      [path, path, path],
      [["invoke_host_function", undefined, undefined, undefined, undefined, undefined]]
    ])
  })

  it("tells of payments of each kind whom they paid, and how much", () => {
    const kinds = ["payment", "create_account", "path_payment_strict_receive", "path_payment_strict_send"]
    const moved = kinds.map((kind) =>
      Result.getOrElse(movedBy(only(`operation ${kind}`)), () => []).map(({ asset, from, to, units }) => [
        asset?.slice(0, 6),
        units,
        from?.slice(0, 4),
        to.slice(0, 4)
      ])
    )
    assert.deepStrictEqual(moved, [
      [["NODL:G", 77n, "GDQW", "GAD3"]],
      [["native", 2_0000000n, "GBVF", "GAYO"]],
      // bought with another asset, by who receives it
      [["BRL:GD", 1000000n, undefined, "GBZH"]],
      [["BRL:GD", 26_5544244n, undefined, "GBZH"]]
    ])
    // The amount of a merge is not in the operation.
    assert.isTrue(Result.isFailure(movedBy(only("operation account_merge"))))
    assert.deepStrictEqual(movedBy(only("operation create_claimable_balance")), Result.succeed([]))
  })

  it("tells of a contract's transfer to a muxed account its number, and no type of it", () => {
    const call = only("operation invoke_host_function")
    assert.deepStrictEqual(
      // The documentation that it is from lost a character of the hash, and has a slip in the id.
      movedBy({ ...call, id: call["paging_token"], transaction_hash: "5f".repeat(32) }),
      Result.succeed([
        {
          transferIndex: 1_000,
          asset: usdc,
          units: 10_0000n,
          from: "CA6ZW2UWYV4Z4XARCQ66S2DCWEXPDZTMFNOK63FH2SAWXAIS56EGHGH5",
          to: muxed("GB5FM5GICRYGBFMEGPMYEFDZQHGUYF75Z7WNB2JL5A3A57HIB4CP3TCL", 123n)
        }
      ])
    )
  })

  it.live("tells what operations cost", () =>
    Effect.gen(function* () {
      const { answer, http } = yield* scripted
      answer(() => only("fee_stats"))
      assert.deepStrictEqual(yield* readFees(http), { usual: 5_000n, bid: 11_000n })
    })
  )

  it.live("tells how an account stands", () =>
    Effect.gen(function* () {
      const { answer, http } = yield* scripted
      const told = only("account")
      answer(() => told)
      const ref = { number: 1, hash: "", parentHash: "", time: 0 }
      const account = yield* readAccount(http, String(told["id"]), { ref })
      assert.isNotNull(account)
      assert.strictEqual(account.sequence, 120_192_344_791_187_470n)
      assert.strictEqual(account.balance, 72_8563792n)
      assert.strictEqual(account.reserves, 7n)
      assert.deepStrictEqual(
        [...account.lines].map(([asset, { authorized, balance }]) => [asset.split(":")[0], balance, authorized]),
        [
          ["EURT", 3_0000000n, true],
          ["USD", 4_0000000n, true]
        ]
      )
    })
  )

  it.live("says by its problems what is not there, and what cannot be told now", () =>
    Effect.gen(function* () {
      const { answer, http } = yield* scripted
      const reasons = yield* Effect.forEach(all("problem"), (problem) => {
        answer(() => problem, Number(problem["status"]))
        return Effect.map(Effect.flip(http.get("ask", "ledgers/1")), ({ reason }) => [problem["status"], reason])
      })
      assert.deepStrictEqual(reasons, [
        [410, "absent"],
        [503, "unreachable"],
        [504, "unreachable"],
        [400, "unreachable"],
        [400, "unreachable"],
        [404, "absent"]
      ])
    })
  )
})

describe("the kinds of operation of the protocol", () => {
  it("are all known by Horizon's names of them", () => {
    const names = [...xdr.OperationType.schema.nameByValue.values()]
    assert.lengthOf(names, 27)
    for (const name of names) {
      const type = name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)
      const reason = Result.match(movedBy({ ...only("operation payment"), type }), {
        onFailure: (why) => why,
        onSuccess: () => ""
      })
      assert.notMatch(reason, /is not known/u, type)
    }
  })
})

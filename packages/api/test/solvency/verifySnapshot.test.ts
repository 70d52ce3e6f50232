import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { canonicalJson } from "../../src/solvency/canonicalJson.ts"
import { documentObjection } from "../../src/solvency/documentSignature.ts"
import { claimObjection, reserveMessage } from "../../src/solvency/reserveMessage.ts"
import { SolvencySnapshot } from "../../src/solvency/SolvencySnapshot.ts"
import { makeSnapshot } from "../../src/solvency/makeSnapshot.ts"
import { summarize } from "../../src/solvency/summarize.ts"
import { snapshotFindings, type VerifyMessage } from "../../src/solvency/verifySnapshot.ts"
import { signDocument } from "./support/vectors.ts"

const [root, sha] = ["ab".repeat(32), "cd".repeat(32)]

/** The key of an address signs by naming it with the text. */
const signedBy = (address: string, message: string) => `${address} signs ${message}`
const verifyMessage: VerifyMessage = ({ address }, { message, signature }) =>
  Effect.succeed(signature === signedBy(address, message))

const commitment = {
  format: "bursar-solvency-1",
  snapshot_id: "019845e1-682f-4b02-a706-3b2422d13aec",
  service: "Bursar",
  environment: "LIVE",
  taken_at: "2026-11-23T12:00:00.000Z",
  currencies: [
    { currency: "EUR", decimals: 2 },
    { currency: "USDC_ETH", decimals: 6 }
  ],
  liabilities: [
    { currency: "EUR", leaves: 1, depth: 0, root, total: "500" },
    { currency: "USDC_ETH", leaves: 3, depth: 2, root, total: "1000" }
  ],
  unattributed: [{ currency: "USDC_ETH", units: "7" }]
} as const

const reserve = (address: string, units: string) => ({
  network: "ethereum",
  chain_id: "1",
  address,
  block_number: 7,
  block_hash: "0xb7",
  holdings: [{ currency: "USDC_ETH", contract: "0xA0", units }]
})

const statement = {
  place: "bank",
  provider: "Bank of Examples",
  currency: "EUR",
  units: "450",
  as_of: "2026-11-23T11:00:00Z",
  file: "statement.pdf",
  sha256: sha
} as const

const make = makeSnapshot(commitment, {
  statements: [statement],
  unread: [{ network: "tron", address: "T1", reason: "It has no node." }],
  sign: signDocument,
  reserves: (claimOf) =>
    Effect.succeed([
      {
        ...reserve("0xA1", "900"),
        proof: {
          format: "EIP-191" as const,
          message: reserveMessage(claimOf({ network: "ethereum", address: "0xA1" })),
          signature: signedBy("0xA1", reserveMessage(claimOf({ network: "ethereum", address: "0xA1" })))
        },
        unproven: null
      },
      { ...reserve("0xB2", "300"), proof: null, unproven: "Its custody does not answer." }
    ])
})

const findings = (snapshot: SolvencySnapshot) => Effect.runPromise(snapshotFindings(snapshot, { verifyMessage }))

describe("the public document of a snapshot", () => {
  it("verifies as it was made, and tells a shortfall that unproven coins do not cover", async () => {
    const snapshot = await Effect.runPromise(make)
    assert.deepStrictEqual(await findings(snapshot), [])
    const again = Schema.decodeUnknownResult(SolvencySnapshot)(JSON.parse(canonicalJson(snapshot)))
    assert.deepStrictEqual(Result.getOrThrow(again), snapshot)
    assert.deepStrictEqual(
      snapshot.summary.map(({ covered, currency, difference, unproven }) => [currency, difference, unproven, covered]),
      [
        ["EUR", "-50", "0", false],
        ["USDC_ETH", "-107", "300", false]
      ]
    )
  })

  it("lets nobody's coins make up for no shortfall, however much of them there is", async () => {
    const { currencies, liabilities, reserves } = await Effect.runPromise(make)
    const rest = { currencies, liabilities, statements: [] }
    const before = summarize({ ...rest, reserves, unattributed: [] })
    for (const units of ["1", "100", "1000000"]) {
      const [first, ...others] = reserves
      if (first === undefined) throw new Error("the snapshot has reserves")
      // the payment without a name is on an address whose key has signed
      const more = { ...first, holdings: [...first.holdings, { currency: "USDC_ETH", contract: null, units }] }
      const after = summarize({ ...rest, reserves: [more, ...others], unattributed: [{ currency: "USDC_ETH", units }] })
      assert.deepStrictEqual(
        after.map(({ covered, difference }) => [difference, covered]),
        before.map(({ covered, difference }) => [difference, covered])
      )
    }
  })

  it("is refused once anything in it was altered, even with a digest that was made anew", async () => {
    const snapshot = await Effect.runPromise(make)
    const [owed, other] = snapshot.liabilities
    const [proven, unproven] = snapshot.reserves
    if (owed === undefined || other === undefined || proven === undefined || unproven === undefined)
      throw new Error("the snapshot has two of each")
    const changes: Readonly<Record<string, Partial<SolvencySnapshot>>> = {
      "a smaller liability": { liabilities: [owed, { ...other, total: "900" }] },
      "a liability left out": { liabilities: [owed] },
      "a liability twice": { liabilities: [owed, other, other] },
      "nothing that is nobody's": { unattributed: [] },
      "what is nobody's, twice": { unattributed: [...snapshot.unattributed, ...snapshot.unattributed] },
      "another root": { liabilities: [owed, { ...other, root: sha }] },
      "another snapshot": { snapshot_id: "019845e1-682f-4b02-a706-3b2422d13aed" },
      "another time": { taken_at: "2026-11-24T12:00:00.000Z" },
      "a reserve twice": { reserves: [proven, proven, unproven] },
      "a reserve twice, under another name of its chain": { reserves: [proven, { ...proven, network: "mainnet" }] },
      "more than the address holds, twice": {
        reserves: [{ ...proven, holdings: [...proven.holdings, ...proven.holdings] }]
      },
      "a proof of another address": { reserves: [proven, { ...unproven, proof: proven.proof, unproven: null }] },
      "a reserve that was not read": {
        unread: [{ network: proven.network, address: proven.address, reason: "It has no node." }]
      },
      "a reserve on another chain": { reserves: [proven, { ...unproven, chain_id: "2" }] },
      "no proof and no reason": { reserves: [proven, { ...unproven, unproven: null }] },
      "a statement twice": { statements: [statement, statement] },
      "a currency that no summary has": { currencies: snapshot.currencies.slice(0, 1) },
      "a summary without the shortfall": {
        summary: snapshot.summary.map((one) => ({ ...one, difference: "0", covered: true }))
      },
      "a summary without a currency": { summary: snapshot.summary.slice(0, 1) }
    }
    for (const [what, change] of Object.entries(changes)) {
      assert.isNotEmpty(await findings({ ...snapshot, ...change }), what)
      const { digest: _digest, commitment: _commitment, summary: _summary, ...rest } = { ...snapshot, ...change }
      const { reserves, signature: _signature, statements, unread, ...committed } = rest
      const anew = await Effect.runPromise(
        makeSnapshot(committed, { statements, unread, sign: signDocument, reserves: () => Effect.succeed(reserves) })
      )
      const forged = { ...anew, ...(change.summary && { summary: change.summary }) }
      assert.isNotEmpty(await findings(forged), `${what}, made anew`)
    }
  })

  it("is the service's own by its signature, and nobody else's", async () => {
    const snapshot = await Effect.runPromise(make)
    const { digest, service, signature, snapshot_id: snapshotId, taken_at: takenAt } = snapshot
    const claim = { service, snapshotId, digest, takenAt }
    const another = await Effect.runPromise(signDocument({ ...claim, digest: sha }))
    const zeros = { key: "0".repeat(64), signature: "0".repeat(128) }
    for (const wrong of [another, zeros, { ...signature, key: root }])
      assert.deepStrictEqual(await findings({ ...snapshot, signature: wrong }), [
        "The service has not signed the document."
      ])
    const known = (signedBy: string) => Effect.runPromise(snapshotFindings(snapshot, { verifyMessage, signedBy }))
    assert.deepStrictEqual(await known(signature.key), [])
    assert.lengthOf(await known(root), 1)
    // nothing is signed that takes another line
    for (const wrong of [
      { service: "Bursar\nDocument: another" },
      { takenAt: "now\u2028" },
      { digest: "1" },
      { snapshotId: "1" }
    ])
      assert.isString(documentObjection({ ...claim, ...wrong }))
  })

  it("counts no reserve twice whose address is written in another way", async () => {
    // on most networks capitals of an address mean nothing, so its key signs for both
    const addresses = ["0xA1", "0xa1"]
    const twice = makeSnapshot(commitment, {
      statements: [statement],
      unread: [],
      sign: signDocument,
      reserves: (claimOf) =>
        Effect.succeed(
          addresses.map((address) => {
            const message = reserveMessage(claimOf({ network: "ethereum", address }))
            const proof = { format: "EIP-191" as const, message, signature: signedBy(address, message) }
            return { ...reserve(address, "900"), proof, unproven: null }
          })
        )
    })
    assert.deepStrictEqual(await findings(await Effect.runPromise(twice)), ["A reserve counts twice: 1 0xa1."])
  })

  it("is signed for by texts that nothing can add a line to", () => {
    const claim = {
      service: "Bursar",
      snapshotId: commitment.snapshot_id,
      commitment: sha,
      network: "ethereum",
      address: "0xA1",
      takenAt: commitment.taken_at
    }
    assert.isUndefined(claimObjection(claim))
    for (const key of ["service", "network", "address", "takenAt"] as const)
      for (const end of ["\n", "\r", "\u0000", "\u2028", "\u0085"])
        assert.isString(claimObjection({ ...claim, [key]: `${claim[key]}${end}` }), `${key} ${JSON.stringify(end)}`)
    assert.isString(claimObjection({ ...claim, commitment: "" }))
    assert.isString(claimObjection({ ...claim, snapshotId: "1" }))
  })
})

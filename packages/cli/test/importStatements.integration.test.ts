import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { generateKeyPairSync } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { bursar } from "./support/bursar.ts"
import { tempDir } from "./support/tempDir.ts"
import { environmentOf, migratedDatabase, secrets, serve } from "./support/world.ts"

const place = "bank:bridge"
const iban = "DE89370400440532013000"

/** A service with a bank that tells no balance, which nobody asks anything here. */
const openImporter = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const server = yield* serve({
    ...environmentOf(url),
    FIAT_PROVIDER: "bridge",
    BRIDGE_API_KEY: "key",
    BRIDGE_CUSTOMER_ID: "customer",
    BRIDGE_WEBHOOK_PUBLIC_KEY: publicKey.export({ format: "pem", type: "spki" }).toString(),
    BRIDGE_HOLDINGS: "{}",
    BRIDGE_URL: "http://127.0.0.1:9"
  })
  const cwd = yield* tempDir
  const env = { BURSAR_OPERATOR_URL: server.operatorUrl, OPERATOR_TOKEN: secrets.OPERATOR_TOKEN }
  const run = (...args: ReadonlyArray<string>) => bursar(["reconcile", ...args], { env, cwd })
  const json = (...args: ReadonlyArray<string>) =>
    Effect.map(run(...args, "--json"), (ended) => {
      assert.deepInclude(ended, { code: 0, stderr: "" }, args.join(" "))
      return JSON.parse(ended.stdout)
    })
  const refused = (...args: ReadonlyArray<string>) =>
    Effect.map(run(...args), ({ code, stderr, stdout }) => {
      assert.notStrictEqual(code, 0, args.join(" "))
      return `${stdout}${stderr}`
    })
  const write = (name: string, content: string): string => {
    writeFileSync(join(cwd, name), content)
    return name
  }
  const kept = Effect.map(json("lines", place), (all: ReadonlyArray<{ readonly id: string }>) =>
    all.map(({ id }) => id)
  )
  return { json, kept, refused, write }
})

const entry = (id: string, amount: string, direction: "CRDT" | "DBIT") =>
  `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-02</Dt></BookgDt><AcctSvcrRef>${id}</AcctSvcrRef></Ntry>`

const balance = (code: string, amount: string) =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-02</Dt></Dt></Bal>`

/** A day of an account: 100 in the morning, 60.50 in the evening. */
const camt = ({ account = iban, closing = "60.50", id = "S1" } = {}) =>
  `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>${id}</Id><Acct><Id><IBAN>${account}</IBAN></Id><Ccy>EUR</Ccy></Acct>${balance("OPBD", "100.00")}${balance("CLBD", closing)}${entry("A1", "40.50", "DBIT")}${entry("A2", "1.00", "CRDT")}</Stmt></BkToCstmrStmt></Document>`

const mapping = JSON.stringify({
  columns: { at: "time", amount: "amount", id: "txid", text: ["type"] },
  currency: "EUR",
  date: "YYYY-MM-DD HH:mm:ss"
})

const csvOf = (...rows: ReadonlyArray<string>) => ["txid,time,type,amount", ...rows, ""].join("\n")

const november = ["--statement", "2026-11", "--from", "2026-11-01", "--to", "2026-12-01"] as const

it.live(
  "bursar reconcile import takes a bank's file once however often it is loaded, and nothing of a file that cannot be trusted",
  () =>
    Effect.gen(function* () {
      const { json, kept, refused, write } = yield* openImporter
      const whole = write("whole.xml", camt())
      const bank = ["import", "--place", place, "--format", "camt053"] as const

      // a file of another account, or of one that nobody has asked for, is not taken for this one
      assert.include(yield* refused(...bank, whole), `--account ${iban}`)
      const other = write("other.xml", camt({ account: "FR1420041010050500013M02606" }))
      assert.include(yield* refused(...bank, "--account", iban, other), "not of DE89")
      // a file that lost an entry on its way, and one that was cut off
      const broken = write("broken.xml", camt({ closing: "61.50" }))
      assert.include(yield* refused(...bank, "--account", iban, broken), "not whole")
      const cut = write("cut.xml", camt().slice(0, -60))
      yield* refused(...bank, "--account", iban, cut)
      assert.include(yield* refused(...bank, "--account", iban, "nowhere.xml"), "nowhere.xml")
      assert.deepStrictEqual(yield* kept, [])

      const spaced = "DE89 3704 0044 0532 0130 00"
      const counts = { statement: "S1", lines: 2, pending: 0 }
      assert.deepStrictEqual(yield* json(...bank, "--account", spaced, whole), [{ ...counts, added: 2, known: 0 }])
      assert.deepStrictEqual(yield* json(...bank, "--account", iban, whole), [{ ...counts, added: 0, known: 2 }])
      assert.sameMembers([...(yield* kept)], ["A1", "A2"])
      // somebody has changed an amount: under the same id, and under another
      const changed = (id: string) =>
        camt({ closing: "61.00", id }).replace(
          '<Amt Ccy="EUR">40.50</Amt><CdtDbtInd>DBIT',
          '<Amt Ccy="EUR">40.00</Amt><CdtDbtInd>DBIT'
        )
      assert.include(yield* refused(...bank, "--account", iban, write("forged.xml", changed("S1"))), "other lines")
      assert.include(yield* refused(...bank, "--account", iban, write("again.xml", changed("S2"))), "another amount")
      assert.include(
        yield* refused("import", "--place", "bank:nobody", "--format", "camt053", "--account", iban, whole),
        "Providers are at: bank:bridge"
      )

      const map = write("mapping.json", mapping)
      const csv = ["import", "--place", place, "--format", "csv", "--mapping", map, ...november] as const
      const good = write("good.csv", csvOf("C1,2026-11-03 10:00:00,fee,-0.25", "C2,2026-11-04 10:00:00,payment,12.00"))
      const torn = write("torn.csv", csvOf("C1,2026-11-03 10:00:00,fee,-0.25", "C2,2026-11-04 10:00:00,payment,twelve"))
      assert.match(yield* refused(...csv, torn), /row 3|line 3|twelve/u)
      const outside = write("outside.csv", csvOf("C9,2026-12-03 10:00:00,fee,-0.25"))
      yield* refused(...csv, outside)
      assert.include(yield* refused("import", "--place", place, "--format", "csv", ...november, good), "--mapping")
      assert.sameMembers([...(yield* kept)], ["A1", "A2"])
      const rows = { statement: "2026-11", lines: 2, pending: 0 }
      assert.deepStrictEqual(yield* json(...csv, good), [{ ...rows, added: 2, known: 0 }])
      assert.deepStrictEqual(yield* json(...csv, good), [{ ...rows, added: 0, known: 2 }])
      assert.sameMembers([...(yield* kept)], ["A1", "A2", "C1", "C2"])
    }).pipe(Effect.scoped),
  60_000
)

import type { Received, Reply } from "@bursar/testkit/fixtures/FaultyServer"
import type { ReceivedPayee } from "@bursar/testkit/suites/fiat/FiatWorld"
import { createHash, createSign, generateKeyPairSync } from "node:crypto"
import { fields } from "./fields.ts"

export const apiKey = "sk-test-key"
export const ownCustomerId = "cust_own"

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
export const publicKeyPem = publicKey.export({ format: "pem", type: "spki" }).toString()

type Json = Record<string, unknown>

const refuse = (status: number, code: string, message: string, key: Json = {}): Reply => ({
  status,
  json: { code, message, source: { location: "body", key } }
})

const page = (all: ReadonlyArray<Json>, url: URL): Reply => {
  const limit = Number(url.searchParams.get("limit") ?? "10")
  if (!(limit >= 1 && limit <= 100)) return refuse(400, "invalid_parameters", "limit")
  const after = url.searchParams.get("starting_after")
  const newestFirst = all.toReversed()
  const start = after === null ? 0 : newestFirst.findIndex(({ id }) => id === after) + 1
  const data = newestFirst.slice(start, start + limit)
  return { status: 200, json: { count: data.length, data } }
}

/** As much of Bridge as the adapter talks to. */
export class FakeBridge {
  readonly received: Array<Received> = []
  /** Answers with this instead, once. */
  readonly nextReplies: Array<Reply> = []
  readonly customers: Array<Json> = [{ id: ownCustomerId }]
  readonly accounts: Array<Json> = []
  readonly externalAccounts: Array<Json> = []
  readonly history: Array<Json> = []
  readonly transfers: Array<Json> = []
  /** What to do with the next order: take it, take it and lose the answer, or refuse it. */
  nextOrder: "take" | "lose" | "refuse" = "take"
  /** Idempotency keys that Bridge has forgotten after a day. */
  readonly forgotten = new Set<string>()
  /** What happens while a request is under way. */
  meanwhile: (received: Received) => void = () => undefined
  private readonly answers = new Map<string, { readonly of: string; readonly reply: Reply }>()
  private count = 0

  id(prefix: string): string {
    this.count += 1
    return `${prefix}_${this.count}`
  }

  readonly handle = (received: Received): Reply => {
    this.received.push(received)
    this.meanwhile(received)
    const { body, headers, method, url } = received
    if (headers["api-key"] !== apiKey) return refuse(401, "invalid_credentials", "wrong key")
    if (headers["traceparent"] !== undefined) return refuse(400, "trace", "a trace leaked")
    const scripted = this.nextReplies.shift()
    if (scripted !== undefined) return scripted
    if (method === "GET") return this.get(url)
    if (method !== "POST") return refuse(405, "method", method)
    const key = headers["idempotency-key"]
    if (key === undefined) return refuse(400, "missing_idempotency_key", "send an Idempotency-Key")
    if (this.forgotten.has(key)) return refuse(422, "invalid_request", "Idempotency-Key was used too long ago")
    const earlier = this.answers.get(key)
    const of = `${url.pathname} ${body}`
    if (earlier !== undefined) {
      return earlier.of === of ? earlier.reply : refuse(422, "idempotency_mismatch", "the body is another")
    }
    const reply = this.post(url.pathname, JSON.parse(body) as Json)
    this.answers.set(key, { of, reply })
    if (url.pathname !== "/v0/transfers" || this.nextOrder !== "lose") return reply
    this.nextOrder = "take"
    return "lost"
  }

  private get(url: URL): Reply {
    const path = url.pathname
    if (path === "/v0/transfers") return page(this.transfers, url)
    const one = (all: ReadonlyArray<Json>, id: string | undefined): Reply => {
      const found = all.find((row) => row["id"] === id)
      return found === undefined ? refuse(404, "not_found", "no such thing") : { status: 200, json: found }
    }
    const transfer = /^\/v0\/transfers\/([^/]+)$/u.exec(path)
    if (transfer !== null) return one(this.transfers, transfer[1])
    const customer = /^\/v0\/customers\/([^/]+)$/u.exec(path)
    if (customer !== null) return one(this.customers, customer[1])
    const history = /^\/v0\/customers\/([^/]+)\/virtual_accounts\/([^/]+)\/history$/u.exec(path)
    const ofAccount = this.history.filter((row) => row["virtual_account_id"] === history?.[2])
    if (history !== null) return page(ofAccount, url)
    const account = /^\/v0\/customers\/([^/]+)\/virtual_accounts\/([^/]+)$/u.exec(path)
    if (account === null) return refuse(404, "not_found", path)
    return one(
      this.accounts.filter((row) => row["customer_id"] === account[1]),
      account[2]
    )
  }

  private post(path: string, body: Json): Reply {
    const wrong = fields(path, body)
    if (wrong !== undefined)
      return refuse(400, "invalid_parameters", "fields are missing or invalid", { [wrong]: "bad" })
    if (path === "/v0/customers") {
      // As other providers do, it repeats what it was told.
      const customer = { ...body, id: this.id("cust"), status: "active" }
      this.customers.push(customer)
      return { status: 201, json: customer }
    }
    const nested = /^\/v0\/customers\/([^/]+)\/(virtual_accounts|external_accounts)$/u.exec(path)
    if (nested !== null) {
      if (!this.customers.some(({ id }) => id === nested[1])) return refuse(404, "not_found", "no such customer")
      const virtual = nested[2] === "virtual_accounts"
      const account: Json = { ...body, id: this.id("acct"), customer_id: nested[1], status: virtual ? "pending" : "ok" }
      ;(virtual ? this.accounts : this.externalAccounts).push(account)
      return { status: 201, json: account }
    }
    return path === "/v0/transfers" ? this.order(body) : refuse(404, "not_found", path)
  }

  private order(body: Json): Reply {
    if (this.nextOrder === "refuse") {
      this.nextOrder = "take"
      return refuse(400, "invalid_parameters", "the amount is too small", { amount: "is below the minimum" })
    }
    const bank = (body["destination"] as Json)["external_account_id"]
    if (bank !== undefined && !this.externalAccounts.some(({ id }) => id === bank)) {
      return refuse(404, "not_found", "no such external account")
    }
    const state = bank === undefined ? "awaiting_funds" : "funds_received"
    const transfer = { ...body, id: this.id("transfer"), state, created_at: new Date().toISOString() }
    this.transfers.push(transfer)
    return { status: 201, json: transfer }
  }

  of(reference: string): ReadonlyArray<Json> {
    return this.transfers.filter((row) => row["client_reference_id"] === reference)
  }

  /** In which currency of ours a transfer leaves. */
  leavesIn(transfer: Json): string {
    const held = String((transfer["source"] as Json)["currency"])
    return held === "eurc" ? "EUR" : held.toUpperCase()
  }

  /** Whom a transfer pays, and on whose behalf; null where it pays no bank account. */
  payeeOf(transfer: Json): ReceivedPayee | null {
    const { currency, external_account_id: id } = transfer["destination"] as Json
    const registered = this.externalAccounts.find((row) => row["id"] === id)
    if (registered === undefined) return null
    const details = (registered["iban"] ?? registered["account"]) as { readonly account_number: string }
    const customer = String(transfer["on_behalf_of"])
    return {
      account: details.account_number,
      currency: String(currency).toUpperCase(),
      onBehalfOf: customer === ownCustomerId ? null : customer
    }
  }

  /** Somebody pays an amount in, and it is delivered. Their IBAN. */
  payIn(reference: string, amount: string): string {
    const iban = "NL91ABNA0417164300"
    for (const row of this.of(reference)) row["source"] = { ...(row["source"] as Json), sender_name: "A payer", iban }
    this.move(reference, "payment_processed", amount)
    return iban
  }

  move(reference: string, state: string, amount?: string): void {
    for (const row of this.of(reference)) {
      row["state"] = state
      if (state === "payment_processed" || state === "refunded")
        row["receipt"] = { final_amount: amount ?? row["amount"] }
    }
  }

  activate(id: string): void {
    const account = this.accounts.find((row) => row["id"] === id)
    if (account === undefined) throw new Error(`no account ${id}`)
    account["status"] = "activated"
    account["source_deposit_instructions"] = {
      currency: (account["source"] as Json)["currency"],
      account_holder_name: "Bridge for somebody",
      iban: "IE64IRCE92050112345678",
      bic: "IRCEIE2D",
      bank_name: "A bank in Ireland",
      payment_rails: ["sepa"]
    }
  }

  /** Money comes, is looked at, and is delivered: three events of one deposit. */
  arrive(id: string, amount: string, description: string, until = "payment_processed"): string {
    const account = this.accounts.find((row) => row["id"] === id)
    if (account === undefined) throw new Error(`no account ${id}`)
    const deposit = this.id("deposit")
    const types = ["funds_received", "payment_submitted", "payment_processed"]
    for (const type of types.slice(0, types.indexOf(until) + 1)) {
      this.history.push({
        id: this.id("event"),
        type,
        deposit_id: deposit,
        virtual_account_id: id,
        customer_id: account["customer_id"],
        // before it is on its way, in the currency that came; afterwards, in that of where it goes
        amount: type === "funds_received" ? "999999.99" : amount,
        currency: (account[type === "funds_received" ? "source" : "destination"] as Json)["currency"],
        created_at: new Date().toISOString(),
        source: { payment_rail: "sepa", description, sender_name: "A sender" }
      })
    }
    return deposit
  }
}

/** A webhook as Bridge signs it. `how` says whether the text itself is signed or, as in Bridge's test data, its digest. */
export const webhookOf = (payload: unknown, how: "text" | "digest" = "digest", at = Date.now(), key = privateKey) => {
  const body = new TextEncoder().encode(JSON.stringify(payload))
  const text = Buffer.concat([Buffer.from(`${at}.`), body])
  const signed = how === "text" ? text : createHash("sha256").update(text).digest()
  const signature = createSign("RSA-SHA256").update(signed).sign(key).toString("base64")
  return { body, headers: { "x-webhook-signature": `t=${at},v0=${signature}` } }
}

/** One operation as the specification lists it, written by hand from its text. */
export interface SpecifiedOperation {
  readonly method: string
  readonly path: string
  readonly scope: string | null
  readonly idempotencyKey: boolean
  readonly signed: boolean
  readonly success: number
}

const operation = (line: string): SpecifiedOperation => {
  const [method = "", path = "", scope = "", marks = "", success = ""] = line.split(/\s+/u)
  return {
    method,
    path,
    scope: scope === "none" ? null : scope,
    idempotencyKey: marks.includes("IK"),
    signed: marks.includes("SIGNED"),
    success: Number(success)
  }
}

/** Every operation of the partner interface. */
export const specification: ReadonlyArray<SpecifiedOperation> = `
GET  /v1/whoami                                              none                 -         200
GET  /v1/limits                                              quotes:read          -         200
GET  /v1/fees                                                quotes:read          -         200
GET  /v1/currencies                                          quotes:read          -         200
GET  /v1/operations/by-key/{key}                             none                 -         200
POST /v1/deposit-addresses                                   deposits:write       IK        200
GET  /v1/deposit-addresses                                   deposits:read        -         200
POST /v1/deposit-addresses/derive                            deposits:write       IK        200
POST /v1/deposit-addresses/issue                             deposits:issue       IK        200
POST /v1/deposit-addresses/{address_id}/retire               deposits:write       -         200
POST /v1/deposit-addresses/{address_id}/sweep-hold           deposits:write       -         200
POST /v1/deposit-addresses/{address_id}/watch-now            deposits:write       -         200
POST /v1/deposit-keys                                        deposits:write       IK,SIGNED 200
POST /v1/deposit-xpubs                                       deposits:write       IK        200
GET  /v1/deposit-xpubs                                       deposits:read        -         200
POST /v1/deposit-xpubs/{xpub_id}/retire                      deposits:write       -         200
GET  /v1/deposits                                            deposits:read        -         200
POST /v1/chain-payouts                                       chain_payouts:write  IK,SIGNED 201
GET  /v1/chain-payouts/estimate                              chain_payouts:read   -         200
GET  /v1/chain-payouts/{payout_id}                           chain_payouts:read   -         200
POST /v1/withdrawals                                         withdrawals:write    IK        201
GET  /v1/withdrawals                                         withdrawals:read     -         200
GET  /v1/withdrawals/estimate                                withdrawals:read     -         200
GET  /v1/withdrawals/limit                                   withdrawals:read     -         200
GET  /v1/withdrawals/{withdrawal_id}                         withdrawals:read     -         200
GET  /v1/destinations                                        withdrawals:read     -         200
POST /v1/payments/proof                                      withdrawals:read     -         200
GET  /v1/pairs                                               quotes:read          -         200
POST /v1/quotes                                              quotes:read          -         200
POST /v1/swaps                                               swaps:write          IK        201
GET  /v1/swaps                                               swaps:read           -         200
GET  /v1/swaps/{swap_id}                                     swaps:read           -         200
GET  /v1/float                                               register:read        -         200
GET  /v1/float/statement                                     register:read        -         200
GET  /v1/register                                            register:read        -         200
GET  /v1/register/summary                                    register:read        -         200
GET  /v1/register/{operation_id}/movements                   register:read        -         200
GET  /v1/custody/intake-cost                                 transfers:read       -         200
GET  /v1/events                                              events:read          -         200
POST /v1/customers                                           customers:write      IK        201
POST /v1/customers/{customer_id}/provider-registration       customers:write      -         201
POST /v1/customers/{customer_id}/verification                customers:write      -         201
GET  /v1/customers/{customer_id}/verification                customers:read       -         200
POST /v1/accounts                                            accounts:write       IK        201
GET  /v1/accounts/{account_id}                               accounts:read        -         200
GET  /v1/accounts/{account_id}/entries                       accounts:read        -         200
POST /v1/transfers                                           transfers:write      IK        201
GET  /v1/transfers                                           transfers:read       -         200
GET  /v1/transfers/{transfer_id}                             transfers:read       -         200
GET  /v1/deposit-keys/wrapping-key                           deposits:read        -         200
POST /v1/signature/verify                                    none                 -         200
POST /v1/address-proofs/challenge                            deposits:write       -         200
POST /v1/address-proofs                                      deposits:write       -         200
GET  /v1/solvency                                            register:read        -         200
`
  .trim()
  .split("\n")
  .map(operation)

const limit = (maximum: number, standard: number) => ({ type: "integer", minimum: 1, maximum, default: standard })
const text = (maxLength: number) => ({ type: "string", minLength: 1, maxLength })
const after = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }
const flag = { type: "boolean", default: false }
const uuid = { type: "string", format: "uuid" }
const moment = { type: "string", format: "date-time" }
const code = text(64)
const currency = text(32)
const amount = { type: "string", maxLength: 80, pattern: "^(?:0|[1-9]\\d*)(?:\\.\\d+)?$" }

/** The query parameters of every operation that has any, with their schemas. */
export const specifiedQueries: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  "GET /v1/deposit-addresses": {
    network: text(20),
    reference: text(200),
    address: text(128),
    include_retired: flag,
    after: uuid,
    limit: limit(500, 200)
  },
  "GET /v1/deposit-xpubs": { network: text(20), include_retired: flag },
  "GET /v1/deposits": { after, limit: limit(500, 200), reference: text(200) },
  "GET /v1/chain-payouts/estimate": { network: text(20), currency, amount, address: text(128) },
  "GET /v1/withdrawals": { status: code, limit: limit(200, 50) },
  "GET /v1/withdrawals/estimate": { currency, amount },
  "GET /v1/swaps": { status: code, limit: limit(200, 50) },
  "GET /v1/solvency": { snapshot: uuid, document: flag },
  "GET /v1/float/statement": { currency, since: moment, until: moment, limit: limit(500, 200) },
  "GET /v1/register": {
    kind: code,
    status: code,
    currency,
    customer_id: uuid,
    acts_for: { $ref: "#/components/schemas/ActsFor" },
    since: moment,
    until: moment,
    cursor: text(2_000),
    limit: limit(200, 100)
  },
  "GET /v1/register/summary": { since: moment, until: moment },
  "GET /v1/custody/intake-cost": { limit: limit(200, 20) },
  "GET /v1/events": { after, limit: limit(500, 100) },
  "GET /v1/accounts/{account_id}/entries": { limit: limit(500, 100) },
  "GET /v1/transfers": { partner_reference: text(200), status: code, created_after: moment, limit: limit(200, 50) }
}

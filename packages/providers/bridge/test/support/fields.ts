type Json = Record<string, unknown>

const text = (value: unknown): boolean => typeof value === "string" && value !== ""
const decimal = (value: unknown): boolean => typeof value === "string" && /^\d+(?:\.\d+)?$/u.test(value)
const country = (value: unknown): boolean => typeof value === "string" && /^[A-Z]{3}$/u.test(value)
const object = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {})

/** The first of the conditions that does not hold. */
const first = (conditions: Readonly<Record<string, boolean>>): string | undefined =>
  Object.entries(conditions).find(([, holds]) => !holds)?.[0]

const customer = (body: Json): string | undefined =>
  body["type"] === "business"
    ? first({ business_legal_name: text(body["business_legal_name"]) })
    : first({
        type: body["type"] === "individual",
        first_name: text(body["first_name"]),
        birth_date: /^\d{4}-\d{2}-\d{2}$/u.test(String(body["birth_date"])),
        "residential_address.country": country(object(body["residential_address"])["country"]),
        identifying_information:
          Array.isArray(body["identifying_information"]) &&
          country(object((body["identifying_information"] as ReadonlyArray<unknown>)[0])["issuing_country"])
      })

const held = (end: Json): boolean =>
  end["payment_rail"] === "bridge_wallet" ? text(end["bridge_wallet_id"]) : text(end["prefunded_account_id"])

const virtualAccount = (body: Json): string | undefined =>
  first({
    "source.currency": ["eur", "usd", "gbp"].includes(String(object(body["source"])["currency"])),
    destination: held(object(body["destination"]))
  })

const externalAccount = (body: Json): string | undefined => {
  const account = object(body["account"])
  const iban = object(body["iban"])
  const details = {
    iban: text(iban["account_number"]) && country(iban["country"]),
    gb: /^\d{6}$/u.test(String(account["sort_code"])) && /^\d{8}$/u.test(String(account["account_number"])),
    us: /^\d{9}$/u.test(String(account["routing_number"])) && text(account["account_number"])
  }[String(body["account_type"])]
  return first({
    account_owner_name: text(body["account_owner_name"]),
    account_owner_type:
      body["account_owner_type"] === "business"
        ? text(body["business_name"])
        : text(body["first_name"]) && text(body["last_name"]),
    currency: ["eur", "usd", "gbp"].includes(String(body["currency"])),
    account_type: details === true
  })
}

const rails = new Set(["sepa", "ach", "ach_push", "ach_same_day", "wire", "swift", "faster_payments"])

const transfer = (body: Json): string | undefined => {
  const [source, destination] = [object(body["source"]), object(body["destination"])]
  const out = text(destination["external_account_id"])
  const bank = out ? destination : source
  return first({
    client_reference_id: text(body["client_reference_id"]),
    on_behalf_of: text(body["on_behalf_of"]),
    amount: decimal(body["amount"]),
    holding: held(out ? source : destination),
    payment_rail: rails.has(String(bank["payment_rail"])),
    currency: text(source["currency"]) && text(destination["currency"])
  })
}

/** The first field of a request that Bridge's schema does not allow. */
export const fields = (path: string, body: Json): string | undefined => {
  if (path === "/v0/customers") return customer(body)
  if (path.endsWith("/virtual_accounts")) return virtualAccount(body)
  if (path.endsWith("/external_accounts")) return externalAccount(body)
  return transfer(body)
}

import { done } from "@bursar/core/port/ProviderResult"
import type { Identity, RegisterOrder } from "@bursar/core/port/FiatProvider"
import { Effect, Redacted } from "effect"
import { createHash } from "node:crypto"
import { type BridgeHttp, expect, toAnswer } from "./BridgeHttp.ts"
import { alpha3 } from "./country.ts"
import { Customer } from "./wire.ts"

const customer = expect(Customer)

/** Bridge's names of the documents that partners name. */
const documentKinds: Readonly<Record<string, string>> = {
  PASSPORT: "passport",
  DRIVERS_LICENSE: "drivers_license",
  DRIVING_LICENSE: "drivers_license",
  DRIVING_LICENCE: "drivers_license",
  NATIONAL_ID: "national_id",
  ID_CARD: "national_id"
}

/** The entries that are known. */
const known = (entries: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(Object.entries(entries).filter((entry): entry is [string, string] => entry[1] !== null))

const individual = (identity: Identity) => {
  const { residence } = identity
  const address = known({
    street_line_1: residence.street,
    city: residence.city,
    subdivision: residence.state,
    postal_code: residence.postcode,
    country: residence.country === null ? null : alpha3(residence.country)
  })
  return {
    type: "individual",
    ...known({
      first_name: identity.firstName,
      middle_name: identity.middleName,
      last_name: identity.lastName,
      email: identity.email,
      phone: identity.phone,
      birth_date: identity.dateOfBirth
    }),
    ...(Object.keys(address).length === 0 ? {} : { residential_address: address }),
    identifying_information: [
      known({
        type: documentKinds[identity.documentKind.toUpperCase()] ?? identity.documentKind.toLowerCase(),
        issuing_country: alpha3(identity.documentCountry),
        number: identity.documentNumber,
        expiration: identity.documentExpires
      })
    ]
  }
}

const business = (identity: Identity) => ({
  type: "business",
  ...known({ business_legal_name: `${identity.firstName} ${identity.lastName}`.trim(), email: identity.email })
})

/**
 * Registers a person. The same person under the same reference is the same request for Bridge; one whose data was
 * corrected is another, so that a refusal does not stick. What Bridge says is wrong is told by the names of the fields.
 */
export const makeRegister = (http: BridgeHttp) =>
  Effect.fn("Bridge.register")(function* ({ identity, isBusiness, reference }: RegisterOrder) {
    const payload = isBusiness ? business(Redacted.value(identity)) : individual(Redacted.value(identity))
    const key = `${reference}-${createHash("sha256").update(JSON.stringify(payload)).digest("hex").slice(0, 16)}`
    return yield* toAnswer(
      Effect.gen(function* () {
        const { id } = yield* customer("registering a customer", yield* http.post("/customers", key, payload))
        // Bridge does not say whether it had the customer
        return done({ providerCustomerId: id, newlyRegistered: true })
      })
    )
  })

import type { Contract, JsonSchema, Operation } from "../contract/Contract.ts"

/** A place of an operation where the id of a record can stand. */
export interface IdPlace {
  readonly operation: Operation
  readonly in: "path" | "query" | "body"
  /** The parameter, or the field of the body with those around it: `destination.address`. */
  readonly name: string
}

/** Texts that name a record though their schema does not say so, by operation. */
const named: Readonly<Record<string, ReadonlyArray<string>>> = {
  "POST /v1/address-proofs": ["address"],
  "POST /v1/address-proofs/challenge": ["address"],
  "POST /v1/chain-payouts": ["tenant"],
  "POST /v1/transfers": ["beneficiary_account"]
}

const isIdName = (name: string): boolean => /(?:^|_)(?:id|key|keyid|cursor)$/u.test(name)

/** Ids that name nothing of one tenant: others than the service give them (`external_id`), or they are of the whole service (`snapshot`). */
const nobodysIds: ReadonlySet<string> = new Set(["external_id", "snapshot"])

const isId = (contract: Contract, schema: JsonSchema, name: string): boolean => {
  const { anyOf = [], format } = contract.resolve(schema)
  return (
    (format === "uuid" || isIdName(name) || anyOf.some((one) => contract.resolve(one).format === "uuid")) &&
    !nobodysIds.has(name)
  )
}

const fieldsOf = (
  contract: Contract,
  given: JsonSchema,
  prefix: string
): ReadonlyArray<readonly [string, JsonSchema]> => {
  const { anyOf = [], items, properties = {} } = contract.resolve(given)
  return [
    ...Object.entries(properties).flatMap(([name, schema]) => [
      [`${prefix}${name}`, schema] as const,
      ...fieldsOf(contract, schema, `${prefix}${name}.`)
    ]),
    ...(items === undefined ? [] : fieldsOf(contract, items, `${prefix}0.`)),
    ...anyOf.flatMap((one) => fieldsOf(contract, one, prefix))
  ]
}

/** Every place of an operation where the id of a record can stand. */
export const placesOf = (contract: Contract, operation: Operation): ReadonlyArray<IdPlace> => [
  ...operation.parameters
    .filter(({ in: place, name, schema }) => place === "path" || isId(contract, schema, name))
    .map(({ in: place, name }): IdPlace => ({ operation, in: place === "path" ? "path" : "query", name })),
  ...(operation.body === null ? [] : fieldsOf(contract, operation.body, ""))
    .filter(
      ([name, schema]) =>
        isId(contract, schema, name.split(".").at(-1) ?? "") || (named[operation.name] ?? []).includes(name)
    )
    .map(([name]): IdPlace => ({ operation, in: "body", name }))
]

/** Every such place of a contract. */
export const allPlaces = (contract: Contract): ReadonlyArray<IdPlace> =>
  contract.operations.flatMap((operation) => placesOf(contract, operation))

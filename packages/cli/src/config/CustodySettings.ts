import { Schema } from "effect"
import { integer, listed, type Present, protectedUrl } from "./variable.ts"

/** The key custodies that can be configured, by the names that wallets know them by. */
export const custodyNames = ["sealed", "pkcs11", "aws-kms"] as const

/** A key custody that can be configured. */
export type CustodyName = (typeof custodyNames)[number]

const text = Schema.optionalKey(Schema.NonEmptyString)

const isName = (name: string): name is CustodyName => custodyNames.some((known) => known === name)

/** The variables that tell where keys are held beside the vault. */
export const custodyVariables = {
  KEY_CUSTODY: Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter((list) => {
        const names = listed(list)
        if (!names.every(isName)) return `must name ${custodyNames.join(", ")}, or several with commas`
        return new Set(names).size === names.length ? undefined : "names the same custody twice"
      })
    )
  ),
  KEY_CUSTODY_PREFIX: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9/_-]{0,63}$/u, {
        expected: "letters, digits, -, _ and /, up to 64 characters, a letter or digit first"
      })
    )
  ),
  SEALED_CUSTODY_DIRECTORY: text,
  PKCS11_MODULE: text,
  PKCS11_TOKEN: text,
  PKCS11_PIN_FILE: text,
  PKCS11_SESSIONS_MAX: Schema.optionalKey(integer(1, 1_000)),
  PKCS11_WRAPPING_KEY: text,
  AWS_KMS_REGION: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[a-z]{2}(?:-[a-z]+)+-[0-9]$/u, { expected: "a region, such as eu-central-1" })
    )
  ),
  AWS_KMS_ENDPOINT: Schema.optionalKey(protectedUrl),
  AWS_KMS_WRAPPING_KEY: text
}

const Variables = Schema.Struct(custodyVariables)

/** What each custody needs besides. */
const needed: Readonly<Record<CustodyName, ReadonlyArray<string>>> = {
  sealed: ["SEALED_CUSTODY_DIRECTORY"],
  pkcs11: ["PKCS11_MODULE", "PKCS11_TOKEN", "PKCS11_PIN_FILE"],
  "aws-kms": ["AWS_KMS_REGION"]
}

/** A PKCS #11 token. The PIN is read from its file when the token is opened. */
export interface Pkcs11Settings {
  readonly module: string
  readonly token: string
  readonly pinFile: string
  readonly sessionsMax: number | null
  readonly wrappingKey: string | null
}

/** AWS KMS. */
export interface KmsSettings {
  readonly region: string
  readonly endpoint: string | null
  readonly wrappingKey: string | null
}

/** Where keys are held beside the vault. */
export interface CustodySettings {
  /** Those that wallets may be made in, and that sign. */
  readonly names: ReadonlyArray<CustodyName>
  readonly prefix: string | null
  readonly directory: string | null
  readonly pkcs11: Pkcs11Settings | null
  readonly kms: KmsSettings | null
}

/** The vault alone. */
export const noCustodies: CustodySettings = { names: [], prefix: null, directory: null, pkcs11: null, kms: null }

/** What the variables of custodies lack, taken together. */
export const custodyMistakes = (given: Present): ReadonlyArray<string> =>
  listed(given["KEY_CUSTODY"]).flatMap((name) =>
    isName(name)
      ? needed[name]
          .filter((variable) => !(variable in given))
          .map((variable) => `${variable} is missing, which KEY_CUSTODY=${name} needs`)
      : []
  )

/** The custodies of variables that were checked. */
export const custodiesOf = (env: typeof Variables.Type): CustodySettings => {
  const { AWS_KMS_REGION: region, PKCS11_MODULE: module, PKCS11_PIN_FILE: pinFile, PKCS11_TOKEN: token } = env
  return {
    names: listed(env.KEY_CUSTODY).filter(isName),
    prefix: env.KEY_CUSTODY_PREFIX ?? null,
    directory: env.SEALED_CUSTODY_DIRECTORY ?? null,
    pkcs11:
      module === undefined || token === undefined || pinFile === undefined
        ? null
        : {
            module,
            token,
            pinFile,
            sessionsMax: env.PKCS11_SESSIONS_MAX ?? null,
            wrappingKey: env.PKCS11_WRAPPING_KEY ?? null
          },
    kms:
      region === undefined
        ? null
        : { region, endpoint: env.AWS_KMS_ENDPOINT ?? null, wrappingKey: env.AWS_KMS_WRAPPING_KEY ?? null }
  }
}

const decode = Schema.decodeUnknownResult(Variables)

/** The custodies of variables alone, without the rest of the configuration; a failure where one of them is wrong. */
export const readCustodies = (variables: Present) =>
  decode(Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== "")))

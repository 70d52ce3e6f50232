import { type KeyCustody, KeyCustodies, type KeyWrapper } from "@bursar/core/port/KeyCustody"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { makeSealedCustody } from "@bursar/vault/SealedCustody"
import { Effect, Layer, Redacted, Result } from "effect"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { CommandFailed } from "../config/CommandFailed.ts"
import type { CustodyName, CustodySettings, KmsSettings, Pkcs11Settings } from "../config/CustodySettings.ts"
import { readSecretFile } from "../config/secretFile.ts"
import type { SignSettings } from "../config/Settings.ts"
import { optionalPackage } from "./optionalPackage.ts"

const failed = (message: string) => new CommandFailed({ message })

/** A PIN that others on the machine can read is none. */
const readPin = Effect.fnUntraced(function* (path: string) {
  const pin = (yield* Effect.provide(readSecretFile("PKCS11_PIN_FILE", path), NodeFileSystem.layer)).trim()
  return pin === "" ? yield* failed(`PKCS11_PIN_FILE: ${path} is empty.`) : Redacted.make(pin)
})

const given = <A>(name: string, value: A | null): Effect.Effect<A, CommandFailed> =>
  value === null ? Effect.fail(failed(`${name} is missing.`)) : Effect.succeed(value)

const pkcs11Package = optionalPackage("@bursar/custody-pkcs11", () => import("@bursar/custody-pkcs11"))
const kmsPackage = optionalPackage("@bursar/custody-aws-kms", () => import("@bursar/custody-aws-kms"))

const pkcs11Options = Effect.fnUntraced(function* ({ pkcs11, prefix }: CustodySettings) {
  const { module, pinFile, sessionsMax, token }: Pkcs11Settings = yield* given("PKCS11_MODULE", pkcs11)
  const pin = yield* readPin(pinFile)
  return {
    module,
    token,
    pin,
    ...(sessionsMax === null ? {} : { sessionsMax }),
    ...(prefix === null ? {} : { prefix })
  }
})

const kmsOptions = Effect.fnUntraced(function* ({ kms, prefix }: CustodySettings) {
  const { endpoint, region }: KmsSettings = yield* given("AWS_KMS_REGION", kms)
  return { region, ...(endpoint === null ? {} : { endpoint }), ...(prefix === null ? {} : { prefix }) }
})

const openCustody = Effect.fnUntraced(function* (name: CustodyName, { custody, masterKeys }: CustodyOf) {
  if (name === "pkcs11") {
    const { makePkcs11Custody } = yield* pkcs11Package
    return yield* makePkcs11Custody(yield* pkcs11Options(custody))
  }
  if (name === "aws-kms") {
    const { makeKmsCustody } = yield* kmsPackage
    return yield* makeKmsCustody(yield* kmsOptions(custody))
  }
  // the settings were read with these keys checked
  const keys = Result.getOrThrow(parseMasterKeys(masterKeys))
  return yield* makeSealedCustody(keys, yield* given("SEALED_CUSTODY_DIRECTORY", custody.directory))
})

type CustodyOf = Pick<SignSettings, "custody" | "masterKeys">

/** The key custodies of the settings, open for as long as the layer lives. A custody that cannot be opened ends the start. */
export const layerCustodies = (settings: CustodyOf) =>
  Layer.effect(
    KeyCustodies,
    Effect.map(
      Effect.forEach(settings.custody.names, (name) => openCustody(name, settings)),
      (all): ReadonlyMap<string, KeyCustody> => new Map(all.map((custody) => [custody.name, custody]))
    )
  )

/** What wraps and unwraps master keys, by the name that a file of wrapped keys gives. It is open until the scope closes. */
export const openWrapper = Effect.fn("assemble.openWrapper")(function* (name: string, custody: CustodySettings) {
  if (name === "pkcs11") {
    const { makePkcs11KeyWrapper } = yield* pkcs11Package
    const label = yield* given("PKCS11_WRAPPING_KEY", custody.pkcs11?.wrappingKey ?? null)
    const wrapper: KeyWrapper = yield* makePkcs11KeyWrapper({ ...(yield* pkcs11Options(custody)), label })
    return wrapper
  }
  if (name === "aws-kms") {
    const { makeKmsKeyWrapper } = yield* kmsPackage
    const wrappingKey = yield* given("AWS_KMS_WRAPPING_KEY", custody.kms?.wrappingKey ?? null)
    const wrapper: KeyWrapper = yield* makeKmsKeyWrapper({ ...(yield* kmsOptions(custody)), wrappingKey })
    return wrapper
  }
  return yield* failed(`Nothing here is called ${name} and unwraps master keys: pkcs11 and aws-kms do.`)
})

import type { Network } from "@bursar/core/money/Network"
import { type SignTransaction, TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { VaultError } from "@bursar/core/port/Vault"
import { ByteSize, Cause, Effect, Stream } from "effect"
import { HttpIncomingMessage, HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Bounded, signingKinds } from "./bounded.ts"
import { bodyMaxBytes } from "./SignerApi.ts"
import { type Answer, answerLineOf, linesMax, linesType, readLine, signPath } from "./signLines.ts"

const bodyMax = ByteSize.bytes(bodyMaxBytes)

const unreadable = new VaultError({ doing: "sign", reason: "the request cannot be read" })

/** A row that cannot be read, or a codec or custody that throws, ends one transaction alone. */
const died = ({ network, tenantId }: SignTransaction, defect: unknown) =>
  Effect.andThen(
    Effect.annotateLogs(Effect.logError("signing.failed", Cause.die(defect)), { tenant: tenantId, network }),
    Effect.fail(new VaultError({ doing: "sign", reason: "the signer could not work on it, and has logged why" }))
  )

/** What becomes of one line. What is wrong with it is wrong with none of the others. */
const answering = Effect.fnUntraced(function* (networks: ReadonlyArray<Network>) {
  const [bounded, signer] = [yield* Bounded, yield* TransactionSigner]
  const kindOf = signingKinds(networks)
  return (line: string, at: number) =>
    Effect.mapError(readLine(line), () => unreadable).pipe(
      Effect.flatMap((transaction) =>
        Effect.catchDefect(bounded(kindOf(transaction.network))(signer.sign(transaction)), (defect) =>
          died(transaction, defect)
        )
      ),
      Effect.match({
        onFailure: (error): Answer => ({ at, error }),
        onSuccess: ({ hash, raw }): Answer => ({ at, hash, raw })
      }),
      Effect.flatMap((answer) => Effect.orDie(answerLineOf(answer))),
      Effect.map((text) => `${text}\n`)
    )
})

/** Transactions that are brought together are signed side by side, and answered one by one; those of each of these networks in turns of its own. */
export const signRoute = (networks: ReadonlyArray<Network>) =>
  HttpRouter.addAll(
    Effect.map(answering(networks), (answerTo) => [
      HttpRouter.route(
        "POST",
        signPath,
        Effect.fnUntraced(function* ({ headers, text }: HttpServerRequest.HttpServerRequest) {
          if (headers["content-type"] !== linesType) return HttpServerResponse.empty({ status: 415 })
          const lines = (yield* Effect.provideService(text, HttpIncomingMessage.MaxBodySize, bodyMax)).split("\n")
          if (lines.length > linesMax || lines.includes("")) return HttpServerResponse.empty({ status: 400 })
          // none waits for another: each is answered when it is on the disk
          const answers = Stream.fromIterable(lines.entries()).pipe(
            Stream.mapEffect(([at, line]) => answerTo(line, at), { concurrency: linesMax, unordered: true }),
            Stream.encodeText
          )
          return HttpServerResponse.stream(answers, { contentType: linesType })
        })
      )
    ])
  )

import { NeedsIdempotencyKey } from "@bursar/api/annotations/NeedsIdempotencyKey"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { Context } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import type { RequestParts } from "../error/requestToError.ts"
import { type Pager, pagers } from "../page/pagers.ts"
import { type AnswerCheck, answerCheck } from "./answerCheck.ts"

/** An endpoint of the contract, as a function of the client sees it. */
export interface EndpointShape extends RequestParts {
  readonly group: string
  readonly name: string
  readonly needsKey: boolean
  /** Whether a body can be its answer; a page of a list has its items. */
  readonly isAnswer: AnswerCheck
  /** What turns its pages, where its answer is one. */
  readonly pager: Pager<unknown, unknown, object> | undefined
}

const paramsOf = (path: string): ReadonlyArray<string> => Array.from(path.matchAll(/:(\w+)/gu), ([, name = ""]) => name)

const inputOf = (endpoint: HttpApiEndpoint.Top): EndpointShape["input"] => {
  if (endpoint.payload.size > 0) return "payload"
  return endpoint.query === undefined ? undefined : "query"
}

const pagersByGroup: Readonly<Record<string, unknown>> = pagers

/** Every endpoint of the contract, in its order. */
export const endpoints = (): ReadonlyArray<EndpointShape> => {
  const found: Array<EndpointShape> = []
  HttpApi.reflect(PartnerApi, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group }) => {
      // Each pager stands under the group whose list it turns.
      const pager =
        endpoint.identifier === "list" ? (pagersByGroup[group.identifier] as EndpointShape["pager"]) : undefined
      const hasShape = answerCheck(endpoint)
      found.push({
        group: group.identifier,
        name: endpoint.identifier,
        params: paramsOf(endpoint.path),
        input: inputOf(endpoint),
        needsKey: Context.get(endpoint.annotations, NeedsIdempotencyKey),
        isAnswer: (body) => hasShape(body) && (pager === undefined || Array.isArray(pager.items(body))),
        pager
      })
    }
  })
  return found
}

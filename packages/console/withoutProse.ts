import type { Plugin } from "vite"

const text = String.raw`(?:"(?:[^"\\]|\\.)*"|\x60(?:[^\x60\\]|\\.)*\x60)`

/** What the contract says in words of an endpoint, and of a field. */
const [ofEndpoints, ofFields] = [
  new RegExp(String.raw`operatorRoute\(\s*${text},\s*${text}`, "gu"),
  new RegExp(String.raw`\bdescription:\s*${text}(?=\s*[,}])`, "gu")
]

/** Makes the document of the interface, which a page does not have. */
const document = /\/packages\/api\/src\/openapi\/repairDocument\.ts$/u

const noDocument =
  "export const repairOperatorDocument = () => (spec) => spec; export const repairPartnerDocument = repairOperatorDocument"

/** Leaves out of the page what the contract has only for its documents, words and code: the page reads none of it. */
export const withoutProse = (): Plugin => ({
  name: "without-prose",
  transform: {
    filter: { id: /\/packages\/api\/src\// },
    handler: (code, id) => ({
      code: document.test(id)
        ? noDocument
        : code.replaceAll(ofEndpoints, `operatorRoute("", ""`).replaceAll(ofFields, `description: ""`),
      map: null
    })
  }
})

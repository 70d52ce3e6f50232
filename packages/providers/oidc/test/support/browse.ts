/** A browser that follows where it is sent, with cookies, and sends the forms that it is shown. Gives the last page. */
export const browse = async (start: string): Promise<string> => {
  const cookies = new Map<string, string>()
  let request: { readonly url: string; readonly form?: URLSearchParams } = { url: start }
  for (let steps = 0; steps < 20; steps += 1) {
    const { form, url } = request
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie },
      ...(form === undefined ? {} : { method: "POST", body: form })
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/u.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get("location")
    const page = await response.text()
    const [, action] = /<form[^>]*action="([^"]+)"/u.exec(page) ?? []
    if (location !== null) request = { url: new URL(location, url).href }
    else if (action === undefined) return page
    else request = { url: new URL(action, url).href, form: fieldsOf(page) }
  }
  throw new Error("the browser was sent on and on")
}

const fieldsOf = (page: string): URLSearchParams =>
  new URLSearchParams(
    [...page.matchAll(/<input[^>]*>/gu)].map(([input]) => {
      const attribute = (name: string) => new RegExp(`${name}="([^"]*)"`, "u").exec(input)?.[1] ?? ""
      return [attribute("name"), attribute("value")]
    })
  )

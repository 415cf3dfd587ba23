/** The name and picture that a post appears under (`chat:write.customize`); what is absent is the app's own. */
export interface Face {
  name?: string | undefined;
  iconUrl?: string | undefined;
  iconEmoji?: string | undefined;
}

/** A face; the picture only where chat could fetch it, else the emoji where there is one (B13). */
export function faceOf(name: string | null, image: string | null, emoji?: string): Face {
  return {
    ...(name ? { name } : {}),
    ...(isPublicHttps(image) ? { iconUrl: image } : emoji === undefined ? {} : { iconEmoji: emoji }),
  };
}

function isPublicHttps(image: string | null): image is string {
  const url = image ? URL.parse(image) : null;
  return url?.protocol === 'https:' && url.hostname.includes('.') && !/^[\d.]+$|:/.test(url.hostname);
}

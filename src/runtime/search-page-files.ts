/** What the build leaves beside the compiled sources for the search page. */

/** All files of the folder are the page's; absent where the sources run without a build. */
export const searchPageFolder: URL = new URL('../../search-page/', import.meta.url);

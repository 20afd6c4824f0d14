/** What the codes of problems mean that core finds in a configuration; for the reference. Their messages say the rest. */
export const problemCodes = {
  MQB_CONFIG_TYPE: "something has the wrong shape, such as a text where a map belongs",
  MQB_CONFIG_VALUE: "a value does not fit its field",
  MQB_CONFIG_MISSING: "a required field is not there",
  MQB_CONFIG_UNKNOWN_FIELD: "a route, an endpoint or a middleware has no field of this name",
  MQB_CONFIG_UNKNOWN_ENDPOINT:
    "no installed plugin brings this endpoint; where a package is known that does, it is named",
  MQB_CONFIG_UNKNOWN_MIDDLEWARE:
    "no installed plugin brings this middleware; where a package is known that does, it is named",
  MQB_CONFIG_NO_ENDPOINT: "an input names no endpoint",
  MQB_CONFIG_TWO_ENDPOINTS:
    "an endpoint names two types; one of them probably belongs under `middlewares` or one level up",
  MQB_CONFIG_WRONG_SIDE: "an endpoint or a middleware does not work on this side of a route",
  MQB_CONFIG_NO_POSITION: "an output names what it writes by source positions, and the input has none",
  MQB_CONFIG_CYCLE: "an endpoint contains itself, through its references",
};

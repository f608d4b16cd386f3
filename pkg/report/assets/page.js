"use strict";
(function () {
  var charts = [];
  document.querySelectorAll("[data-option]").forEach(function (place) {
    var option = JSON.parse(document.getElementById(place.dataset.option).textContent);
    place.textContent = "";
    if (place.dataset.height) { place.style.height = place.dataset.height + "px"; }
    if (option.legend && place.clientWidth < 600) { option.legend.type = "scroll"; option.grid.top = 40; }
    var one = echarts.init(place, null, { devicePixelRatio: Math.max(2, window.devicePixelRatio || 1) });
    one.setOption(option);
    charts.push(one);
  });
  function fit() {
    charts.forEach(function (one) { one.resize(); });
  }
  window.addEventListener("resize", fit);
  window.addEventListener("beforeprint", fit);
  window.addEventListener("afterprint", fit);
})();

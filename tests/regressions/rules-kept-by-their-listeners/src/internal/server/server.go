// Package server is the HTTP face of the scorer.
package server

import (
	"net/http"
	"net/http/pprof"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/cardguard/riskscore/internal/lists"
	"example.com/cardguard/riskscore/internal/rules"
)

type scoreRequest struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
	Country  string  `json:"country"`
	Card     string  `json:"card"`
	Device   string  `json:"device"`
	Hour     int     `json:"hour"`
}

// New wires the routes.
func New(eng *rules.Engine, book *lists.Book) *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.Use(middleware.Recover(), middleware.BodyLimit("2M"))
	e.POST("/score", func(c echo.Context) error {
		var in scoreRequest
		if err := c.Bind(&in); err != nil {
			return err
		}
		points, decision := eng.Score(rules.Payment{Amount: in.Amount, Currency: in.Currency,
			Country: in.Country, Card: in.Card, Device: in.Device, Hour: in.Hour})
		return c.JSON(http.StatusOK, map[string]any{"points": points, "decision": decision})
	})
	e.PUT("/rules", func(c echo.Context) error {
		var in []rules.Source
		if err := c.Bind(&in); err != nil {
			return err
		}
		if err := eng.Publish(in); err != nil {
			return echo.NewHTTPError(http.StatusUnprocessableEntity, err.Error())
		}
		return c.NoContent(http.StatusNoContent)
	})
	e.POST("/lists/:name/:value", func(c echo.Context) error {
		book.Add(c.Param("name"), c.Param("value"))
		return c.NoContent(http.StatusNoContent)
	})
	e.GET("/metrics", echo.WrapHandler(promhttp.Handler()))
	e.GET("/debug/pprof/*", echo.WrapHandler(http.HandlerFunc(pprof.Index)))
	return e
}
